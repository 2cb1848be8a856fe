// Several moves of one task in one batch: they fold in the order they arrived, one event each, into one write. A row
// written twice by one statement would silently lose the second change.

import { type Circumstances, type Move, type Transition, transition } from "../core/task.ts";
import type { TaskEvent } from "../core/task-event.ts";
import type { Outcome, TaskRow } from "../core/task-row.ts";
import type { OpenTask, TaskWrite } from "../ports/records.ts";

/** A task after a move, with its outcome where that was its end. */
export interface MovedTask extends OpenTask {
  readonly outcome: Outcome | null;
}

/** What may change about a task without a move. */
export type Renewal = Pick<TaskRow, "dueAt" | "leasedUntil"> & Partial<Pick<TaskRow, "activeAt">>;

export interface Folding {
  /** The row as the next move will find it. */
  readonly task: MovedTask;
  apply(move: Move, around: Circumstances): Transition;
  /** New deadlines, or a sign of life, without a move. */
  renew(change: Renewal): void;
  /** Null when nothing changed. */
  write(): TaskWrite | null;
}

// The task is a field that is set, not an accessor: an object literal with an accessor gets a hidden class of its own,
// which only a full collection frees, with all that it leads to.
export function folding(first: OpenTask): Folding {
  const events: TaskEvent[] = [];
  const unmoved: MovedTask = { card: first.card, row: first.row, outcome: null };
  const fold = {
    task: unmoved,
    apply(move: Move, around: Circumstances): Transition {
      const done = transition(fold.task.row, move, around);
      fold.task = { card: first.card, row: done.next, outcome: done.outcome };
      events.push(done.event);
      return done;
    },
    renew(change: Renewal): void {
      fold.task = { ...fold.task, row: { ...fold.task.row, ...change } };
    },
    write: (): TaskWrite | null =>
      fold.task === unmoved
        ? null
        : { expected: first.row.version, next: fold.task.row, outcome: fold.task.outcome, events },
  };
  return fold;
}
