// Several moves of one task in one batch: they fold in the order they arrived, one event each, into one write. A row
// written twice by one statement would silently lose the second change.

import { type Circumstances, type Move, type Transition, transition } from "../core/task.ts";
import type { TaskEvent } from "../core/task-event.ts";
import type { Outcome, TaskRow } from "../core/task-row.ts";
import type { OpenTask, TaskWrite } from "../ports/records.ts";

export interface Folding {
  /** The row as the next move will find it. */
  readonly task: OpenTask;
  apply(move: Move, around: Circumstances): Transition;
  /** New deadlines without a move. */
  renew(change: Pick<TaskRow, "dueAt" | "leasedUntil">): void;
  /** Null when nothing changed. */
  write(): TaskWrite | null;
}

export function folding(task: OpenTask): Folding {
  const events: TaskEvent[] = [];
  let row = task.row;
  let outcome: Outcome | null = null;
  return {
    get task() {
      return { card: task.card, row };
    },
    apply(move, around) {
      const done = transition(row, move, around);
      row = done.next;
      outcome = done.outcome;
      events.push(done.event);
      return done;
    },
    renew(change) {
      row = { ...row, ...change };
    },
    write: () => (row === task.row ? null : { expected: task.row.version, next: row, outcome, events }),
  };
}
