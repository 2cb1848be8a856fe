// What never changes about tasks, by their ids. Those that were handed out here need no look into the database.

import type { TaskCard } from "../ports/records.ts";
import type { Held } from "./held.ts";
import type { Surroundings } from "./surroundings.ts";

/** By id, of those that exist. */
export type CardLooks = (ids: readonly string[]) => Promise<ReadonlyMap<string, TaskCard>>;

export function cardLooks({ store }: Pick<Surroundings, "store">, held: Pick<Held, "get">): CardLooks {
  return async (ids) => {
    const known = new Map<string, TaskCard>();
    for (const id of ids) {
      const card = held.get(id)?.card;
      if (card !== undefined) known.set(id, card);
    }
    const others = ids.filter((id) => !known.has(id));
    const records = others.length === 0 ? [] : await store.read("tasks", { ids: others });
    for (const { card } of records) known.set(card.id, card);
    return known;
  };
}
