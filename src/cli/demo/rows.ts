// Which task stands in which row of the screen. A task keeps its row, so that the eye can follow it to its end; it gives it
// up only when another task needs one.

import { isFinal, type TaskAnswer } from "../answers.ts";

export interface Rows {
  /** One for each row; null where it is empty. Tasks are given oldest first. */
  place(tasks: readonly TaskAnswer[], count: number): readonly (TaskAnswer | null)[];
}

export function taskRows(): Rows {
  let rows: (string | null)[] = [];
  const shown = new Set<string>();

  return {
    place(tasks, count) {
      const byId = new Map(tasks.map((task) => [task.id, task]));
      rows = Array.from({ length: count }, (_, nth) => rows[nth] ?? null).map((id) =>
        id !== null && byId.has(id) ? id : null,
      );
      for (const id of shown) if (!byId.has(id)) shown.delete(id);
      for (const task of wanting(tasks, rows, shown)) {
        const row = freeRow(rows, byId);
        if (row === -1) break;
        rows[row] = task.id;
        shown.add(task.id);
      }
      return rows.map((id) => (id === null ? null : (byId.get(id) ?? null)));
    },
  };
}

/** Those in a worker's hands come first, then those that wait, then those that were over before anybody saw them. */
function wanting(tasks: readonly TaskAnswer[], rows: readonly (string | null)[], shown: ReadonlySet<string>) {
  const absent = tasks.filter((task) => !rows.includes(task.id) && !(isFinal(task) && shown.has(task.id)));
  const rank = (task: TaskAnswer): number => (isFinal(task) ? 2 : task.status === "pending" ? 1 : 0);
  return absent.toSorted((one, two) => rank(one) - rank(two));
}

/** An empty one, else that of the task which ended first; -1 where all are open. */
function freeRow(rows: readonly (string | null)[], byId: ReadonlyMap<string, TaskAnswer>): number {
  const empty = rows.indexOf(null);
  if (empty !== -1) return empty;
  const ends = rows.map((id) => byId.get(id ?? "")?.completed_at ?? null);
  const first = ends.filter((end) => end !== null).toSorted()[0];
  return first === undefined ? -1 : ends.indexOf(first);
}
