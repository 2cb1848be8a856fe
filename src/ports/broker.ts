// How tasks reach executors inside the house: threads of the server, or processes behind a message broker. Everything
// that passes is plain data, so that it may travel. The broker carries and runs; what becomes of a task is the engine's.

import type { LogLevel } from "../core/log-level.ts";
import type { Policy } from "../core/policy.ts";
import type { Failure } from "../core/task-row.ts";

/** One attempt in an executor's hands; the fence of everything that is said about it. */
export interface Hold {
  readonly task: string;
  readonly attempt: number;
  readonly worker: string;
}

export interface Assignment extends Hold {
  /** Full name. */
  readonly job: string;
  readonly room: string;
  /** JSON text. */
  readonly payload: string;
  /** JSON text, or null. */
  readonly checkpoint: string | null;
}

/** A job as its executors describe it. */
export interface InternalJob {
  /** Full name, in @internal. */
  readonly name: string;
  /** JSON texts. */
  readonly schema: string;
  readonly output: string | null;
  readonly queue: string | null;
  readonly policy: Policy;
}

/** How a handler ended. */
export type Ending =
  | { readonly type: "completed" /** JSON text. */; readonly result: string | null }
  | { readonly type: "failed"; readonly error: Failure; readonly retryable: boolean }
  /** Not now: again after a while, with what is to be kept until then as JSON text. */
  | { readonly type: "later"; readonly delayMs: number; readonly checkpoint: string | null };

export interface ProgressWords {
  readonly current: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface LogWords {
  readonly level: LogLevel;
  readonly message: string;
  readonly at: number;
}

/** What executors tell the engine. None of these throws. */
export interface Reports {
  /** Answers whether the handler may run: by then the start is in the task's history. */
  started(hold: Hold): Promise<boolean>;
  progressed(hold: Hold, progress: ProgressWords): void;
  logged(hold: Hold, lines: readonly LogWords[]): void;
  /** The place is free again. Called once for each assignment that was accepted. */
  ended(hold: Hold, ending: Ending): void;
}

export interface Broker {
  /** Answers which jobs the executors run. Throws when they cannot. */
  start(reports: Reports): Promise<readonly InternalJob[]>;
  /** How many assignments may be out at once. */
  readonly places: number;
  /** Answers for each whether it was accepted. Never more than there are places. */
  dispatch(assignments: readonly Assignment[]): Promise<readonly boolean[]>;
  /** The handler is asked to stop, and made to when it does not; it still ends. Unknown holds are ignored. */
  abort(hold: Hold, reason: string): void;
  /** Whatever still runs is ended. May be called twice. */
  stop(): Promise<void>;
}
