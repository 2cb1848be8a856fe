// A count on a parent that is under its lock: one move, however much it counts, and what its own parent has to count in
// turn where that was its end. That one is not under the lock, so the count is left in the outbox.

import { childCount, type Tally } from "../core/family.ts";
import { isFinal } from "../core/task-row.ts";
import type { OpenTask, OutboxItem, TaskWrite } from "../ports/records.ts";
import type { Catalog } from "./catalog.ts";
import { folding } from "./folding.ts";
import type { Surroundings } from "./surroundings.ts";

export const countKind = "count";

export interface Counted {
  readonly task: OpenTask;
  readonly write: TaskWrite;
  /** What the grandparent has to count in turn. */
  readonly further: OutboxItem | null;
}

export type CountOn = (task: OpenTask, tally: Tally, hasOpenChildren: () => boolean) => Counted;

export function parentCount(
  { clock, ids, random }: Pick<Surroundings, "clock" | "ids" | "random">,
  catalog: Pick<Catalog, "lane">,
): CountOn {
  return (task, tally, hasOpenChildren) => {
    const { card } = task;
    const now = clock.now();
    const fold = folding(task);
    const job = catalog.lane(card.lane)?.job;
    const around = { now, policy: card.policy, profile: null, jitter: random.fraction(), job, hasOpenChildren };
    fold.apply({ type: "count", ...tally }, around);
    const write = fold.write() as TaskWrite;
    const { state } = write.next;
    if (card.parent === null || !isFinal(state)) return { task, write, further: null };
    const data = JSON.stringify(childCount(state));
    return { task, write, further: { id: ids.next(), kind: countKind, key: card.parent, data, at: now } };
  };
}
