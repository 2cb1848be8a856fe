// Pages of what is in memory anyway.

import type { Page, PageQuery } from "../../ports/store-reads.ts";

export function pageOf<T>(all: readonly T[], { limit, offset }: PageQuery): Page<T> {
  return { items: all.slice(offset, offset + limit), total: all.length, totalExact: true };
}

/** Newest first; ids of one time are in order of their making. */
export function newestFirst(
  a: { readonly createdAt: number; readonly id: string },
  b: { readonly createdAt: number; readonly id: string },
): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}
