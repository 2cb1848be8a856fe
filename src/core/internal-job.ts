// What passes between the engine and the executors of internal jobs: plain data, so that it may travel to a thread or to
// another process.

import type { LogLevel } from "./log-level.ts";
import type { Policy } from "./policy.ts";
import type { Failure } from "./task-row.ts";

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
  /** Not now: again after a while. A checkpoint, JSON text, replaces the one before; null keeps it. */
  | {
      readonly type: "later";
      readonly delayMs: number;
      readonly checkpoint: string | null;
      /** Absent where the handler asked for it. */
      readonly reason?: "shutdown";
    }
  /** The executor is gone, and nobody knows how far the handler came. */
  | { readonly type: "lost" };

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
