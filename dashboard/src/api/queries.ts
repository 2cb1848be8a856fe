// Questions that pages keep asking, with TanStack Query: one place for how often, and for what makes an answer old.

import {
  keepPreviousData,
  QueryClient,
  type UseQueryOptions,
  type UseQueryResult,
  useQuery,
} from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { feed } from "../live/feed.ts";
import { ask } from "./client.ts";
import { Refusal } from "./problem.ts";
import { refresher } from "./refresher.ts";
import type { Answer, Ask, RouteName } from "./routes.ts";

export const queries = new QueryClient({
  defaultOptions: {
    // The server may be on this very machine, which no network has to lead to.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 2_000,
      // What happens is told over the socket; this is for what is not, and for a socket that is deaf.
      refetchInterval: 15_000,
      placeholderData: keepPreviousData,
      retry: (count, error) => count < 2 && !(error instanceof Refusal && error.status >= 400 && error.status < 500),
    },
  },
});

type Options<N extends RouteName> = Omit<UseQueryOptions<Answer<N>, Error>, "queryKey" | "queryFn">;

export function useAsk<N extends RouteName>(asked: Ask<N>, options: Options<N> = {}): UseQueryResult<Answer<N>, Error> {
  const pace = usePace();
  return useQuery<Answer<N>, Error>({
    queryKey: keyOf(asked),
    queryFn: ({ signal }) => ask(asked, signal),
    ...options,
    ...pace,
  });
}

/** Nothing moves under the eyes of who has paused; what is asked for anew is answered. */
const still = { refetchInterval: false, refetchOnWindowFocus: false, refetchOnReconnect: false } as const;
const asUsual = {};

export function usePace(): typeof still | typeof asUsual {
  const paused = useSyncExternalStore(feed.watch, () => feed.view().state === "paused");
  return paused ? still : asUsual;
}

/** Begins with the route: so all questions to a route can be made old at once. */
export function keyOf<N extends RouteName>({ route, params, query }: Ask<N>): readonly unknown[] {
  return [route, params ?? null, query ?? null];
}

/** What was done here makes an answer old, one that is on its way too. */
export function outdate(...routes: readonly RouteName[]): void {
  for (const route of routes) void queries.invalidateQueries({ queryKey: [route] });
}

/** What happened elsewhere makes it old too, but what is on its way is let come. */
export const refresh = refresher(queries, {
  isPaused: () => feed.view().state === "paused",
  isAway: () => document.hidden,
});
