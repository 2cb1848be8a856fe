// One line of a task's history. Versions count up from 1 without a gap, so history is a fold of moves.

import type { TaskState } from "./task-row.ts";

export const eventTypes = [
  "task.submitted",
  "task.claimed",
  "task.assigned",
  "task.started",
  "task.completed",
  "task.failed",
  "task.retried",
  "task.released",
  "task.lost",
  "task.timed_out",
  "task.deferred",
  "task.counted",
  "task.cancelled",
  "task.progressed",
  "task.republished",
] as const;

export type EventType = (typeof eventTypes)[number];

export interface TaskEvent {
  readonly task: string;
  readonly version: number;
  readonly at: number;
  readonly type: EventType;
  /** The state after the move. */
  readonly state: TaskState;
  readonly attempt: number;
  readonly worker: string | null;
  /** JSON text, or null when the type says it all. */
  readonly data: string | null;
}

/** A result that came too late: not a move, so it stands beside the fold. */
export const refusedType = "task.result_refused";

/** Refusals kept one by one; later ones are counted on the last. */
export const refusalsMax = 10;
