// Lists, page by page, as one sequence.

import type { SteadyApi } from "../steady-api.ts";

export interface PagesOptions {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly offset?: number;
  readonly signal?: AbortSignal;
}

const pageSize = 200;
const tries = 5;

export async function* pages<T>(api: SteadyApi, path: string, options: PagesOptions = {}): AsyncGenerator<T> {
  const { query = {}, signal } = options;
  const words = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  for (let offset = options.offset ?? 0; ; offset += pageSize) {
    const asked = new URLSearchParams([...words, ["limit", String(pageSize)], ["offset", String(offset)]]);
    const ask = { tries, ...(signal && { signal }) };
    const { body } = await api.request<{ readonly items: readonly T[] }>("GET", `${path}?${asked}`, ask);
    yield* body.items;
    if (body.items.length < pageSize) return;
  }
}
