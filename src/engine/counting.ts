// A parent that its children closed counts on its own parent. That row was not under the lock then, so the count was
// left in the outbox; here it is added, and the note removed, in one transaction. Two sweeps may meet at the same note:
// only the one that still finds it, under its lock, counts. So it counts exactly once.

import type { ChildCount } from "../core/family.ts";
import { childCount } from "../core/family.ts";
import { isFinal } from "../core/task-row.ts";
import type { OpenTask, OutboxItem, TaskWrite } from "../ports/records.ts";
import type { Effects } from "./effects.ts";
import { withFamilies } from "./families.ts";
import { folding } from "./folding.ts";
import type { Surroundings } from "./surroundings.ts";

export const countKind = "count";

export interface Counting {
  /** Answers whether a task was moved by it. */
  count(item: OutboxItem): Promise<boolean>;
}

export function counting({ store, clock, ids, random }: Surroundings, effects: Effects): Counting {
  async function count(item: OutboxItem): Promise<boolean> {
    const { answer } = await store.amend(
      { tasks: [item.key], outbox: [item.id] },
      withFamilies((view, openBeside) => {
        if (!view.outbox.has(item.id)) return { answer: null };
        const done = counted(view.tasks.get(item.key), item, () => openBeside(item.key));
        return {
          answer: done,
          tasks: done === null ? [] : [done.write],
          outbox: done?.further == null ? [] : [done.further],
          outboxDone: [item.id],
        };
      }),
    );
    if (answer === null) return false;
    effects.moved(answer.task.card, answer.write);
    return true;
  }

  function counted(task: OpenTask | undefined, item: OutboxItem, hasOpenChildren: () => boolean): Counted | null {
    if (task === undefined) return null;
    const { card } = task;
    const now = clock.now();
    const fold = folding(task);
    const by = JSON.parse(item.data as string) as ChildCount;
    const around = { now, policy: card.policy, profile: null, jitter: random.fraction(), hasOpenChildren };
    fold.apply({ type: "count", ...by }, around);
    const write = fold.write() as TaskWrite;
    const { state } = write.next;
    if (card.parent === null || !isFinal(state)) return { task, write, further: null };
    const data = JSON.stringify(childCount(state));
    return { task, write, further: { id: ids.next(), kind: countKind, key: card.parent, data, at: now } };
  }

  return { count };
}

interface Counted {
  readonly task: OpenTask;
  readonly write: TaskWrite;
  /** What the grandparent has to count in turn. */
  readonly further: OutboxItem | null;
}
