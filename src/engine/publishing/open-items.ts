import type { OutboxItem } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";

/** Those whose coordinators have not ended. The others are needed no more, and go. */
export async function openItems(
  store: Pick<Store, "read" | "amend">,
  items: readonly OutboxItem[],
): Promise<readonly OutboxItem[]> {
  if (items.length === 0) return [];
  const records = await store.read("tasks", { ids: [...new Set(items.map(({ key }) => key))] });
  const open = new Set(records.flatMap(({ card, outcome }) => (outcome === null ? [card.id] : [])));
  const over = items.filter(({ key }) => !open.has(key));
  if (over.length > 0) await store.amend({}, () => ({ answer: null, outboxDone: over.map(({ id }) => id) }));
  return items.filter(({ key }) => open.has(key));
}
