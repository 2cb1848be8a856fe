// How tasks reach executors inside the house: threads of the server, or processes behind a message broker. The broker
// carries and runs; what becomes of a task is the engine's.

import type { Assignment, Ending, Hold, InternalJob, LogWords, ProgressWords } from "../core/internal-job.ts";

/** What executors tell the engine. None of these throws. */
export interface Reports {
  /** Answers whether the handler may run: by then the start is in the task's history. */
  started(hold: Hold): Promise<boolean>;
  progressed(hold: Hold, progress: ProgressWords): void;
  logged(hold: Hold, lines: readonly LogWords[]): void;
  /** The place is free again. Called once for each assignment that was accepted. */
  ended(hold: Hold, ending: Ending): void;
  /** There are more places than before, or fewer. */
  placed(): void;
}

export interface Broker {
  /** Answers which jobs the executors run. Throws when they cannot. */
  start(reports: Reports): Promise<readonly InternalJob[]>;
  /** How many assignments may be out at once, now: none while no executor can be reached. */
  readonly places: number;
  /** Answers for each whether it was accepted. Never more than there are places. */
  dispatch(assignments: readonly Assignment[]): Promise<readonly boolean[]>;
  /** The handler is asked to stop, and made to when it does not; it still ends. Unknown holds are ignored. */
  abort(hold: Hold, reason: string): void;
  /** Whatever still runs is ended. May be called twice. */
  stop(): Promise<void>;
}
