// Lists of which all items are needed, as names to choose from: asked for page by page, and not without end.

import { useQuery } from "@tanstack/react-query";
import { ask } from "./client.ts";
import { usePace } from "./queries.ts";
import type { Ask, Item, RouteName } from "./routes.ts";

type ListRoute = Extract<RouteName, "GET /workers" | "GET /jobs" | "GET /rooms" | "GET /queues">;

interface Page {
  readonly items: readonly unknown[];
  readonly total: number;
}

const pageSize = 500;
const itemsMax = 5_000;

interface Options {
  readonly enabled?: boolean;
  /** False: once is enough, until it is old and somebody comes back. */
  readonly refetchInterval: number | false;
}

/** What changes seldom; undefined until it is there. */
export function useAll<N extends ListRoute>(route: N, options: Options): readonly Item<N>[] | undefined {
  const pace = usePace();
  const { data } = useQuery<readonly Item<N>[], Error>({
    queryKey: [route, null, "all pages"],
    queryFn: ({ signal }) => askAll(route, signal),
    staleTime: 30_000,
    ...options,
    ...pace,
  });
  return data;
}

async function askAll<N extends ListRoute>(route: N, signal: AbortSignal): Promise<readonly Item<N>[]> {
  const page = async (offset: number): Promise<Page> =>
    (await ask({ route, query: { limit: pageSize, offset } } as unknown as Ask<N>, signal)) as unknown as Page;
  const first = await page(0);
  const pages = Math.ceil(Math.min(first.total, itemsMax) / pageSize);
  const others = await Promise.all(
    Array.from({ length: Math.max(0, pages - 1) }, (_, nth) => page((nth + 1) * pageSize)),
  );
  return [first, ...others].flatMap(({ items }) => items) as readonly Item<N>[];
}
