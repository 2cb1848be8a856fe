// A parent that its children closed counts on its own parent. That row was not under the lock then, so the count was
// left in the outbox; here it is added, and the note removed, in one transaction. Two sweeps may meet at the same note:
// only the one that still finds it, under its lock, counts. So it counts exactly once. There may be as many notes as there
// are children: those for one parent are one move, and those of many parents one transaction.

import type { ChildCount } from "../core/family.ts";
import type { OutboxItem } from "../ports/records.ts";
import type { Amendment, AmendView } from "../ports/store.ts";
import type { Catalog } from "./catalog.ts";
import type { Effects } from "./effects.ts";
import { type OpenBeside, withFamilies } from "./families.ts";
import { type Counted, parentCount } from "./parent-count.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Counting {
  /** Of up to `rowsMax` notes. Answers how many tasks were moved by it. */
  count(notes: readonly OutboxItem[]): Promise<number>;
}

export function counting(
  around: Surroundings,
  { catalog, effects }: { readonly catalog: Pick<Catalog, "lane">; readonly effects: Effects },
): Counting {
  const countOn = parentCount(around, catalog);

  function decide(
    notes: readonly OutboxItem[],
    view: AmendView,
    openBeside: OpenBeside,
  ): Amendment<readonly Counted[]> {
    const mine = notes.filter(({ id }) => view.outbox.has(id));
    const counted = [...Map.groupBy(mine, ({ key }) => key)].flatMap(([id, theirs]) => {
      const task = view.tasks.get(id);
      // A child that is counted on here, too, asks again when it has ended.
      const hasOpenChildren = () => [...view.tasks.values()].some(({ card }) => card.parent === id) || openBeside(id);
      return task === undefined ? [] : [countOn(task, sumOf(theirs), hasOpenChildren)];
    });
    return {
      answer: counted,
      tasks: counted.map(({ write }) => write),
      outbox: counted.flatMap(({ further }) => further ?? []),
      outboxDone: mine.map(({ id }) => id),
    };
  }

  return {
    async count(notes) {
      const scope = { tasks: [...new Set(notes.map(({ key }) => key))], outbox: notes.map(({ id }) => id) };
      const { answer } = await around.store.amend(
        scope,
        withFamilies((view, openBeside) => decide(notes, view, openBeside)),
      );
      for (const { task, write } of answer) effects.moved(task.card, write);
      return answer.length;
    },
  };
}

function sumOf(notes: readonly OutboxItem[]): ChildCount {
  const counts = notes.map(({ data }) => JSON.parse(data as string) as ChildCount);
  return {
    done: counts.reduce((sum, { done }) => sum + done, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}
