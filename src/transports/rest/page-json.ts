import type { Page } from "../../ports/store-reads.ts";
import type { PageOf } from "../../protocol/rest/words.ts";
import type { Answer } from "./call.ts";

/** A page of items that are JSON text already. */
export function pageAnswer<T>(page: Page<T>, { limit, offset }: PageOf, itemJson: (item: T) => string): Answer {
  const items = page.items.map(itemJson).join(",");
  const counts = `"total":${page.total},"total_exact":${page.totalExact},"limit":${limit},"offset":${offset}`;
  return { status: 200, json: `{"items":[${items}],${counts}}` };
}
