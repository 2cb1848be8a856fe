// What a manager can be told when it is made.

import type { RetryWords } from "../job.ts";
import type { ManagerLog } from "./life.ts";
import type { Execute } from "./serving.ts";

/** Times are in seconds, as in the documents. */
export interface JobManagerOptions {
  /** Does the work: the manager then claims tasks by itself. Without it, claim them with `claim` or `listen`. */
  readonly execute?: Execute;
  /** Between two beats; 30. */
  readonly heartbeatInterval?: number;
  /** Between two looks for a task, where no wake-up comes; 2. */
  readonly pollingInterval?: number;
  /** How long `disconnect` waits for the task under way; 10. */
  readonly joinTimeout?: number;
  /** How long the server may be out of reach before the manager stops; 120. */
  readonly unreachableLimit?: number;
  /** Between the first tries to register; 1, 2, 4, 8. */
  readonly startDelays?: readonly number[];
  /** Where it tells what nobody waits to hear; the console. */
  readonly log?: ManagerLog;
}

/** How a job is registered. */
export interface RegisterOptions {
  /** The room the job belongs to; `@global`. */
  readonly room?: string;
  /** Where the class's own name is not the one; code that was minified has lost it. */
  readonly name?: string;
  readonly policy?: JobPolicy;
  readonly queue?: string;
  /** What a worker must carry to be given any task of this job. A manager's own worker carries none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What happens when things go wrong; where it is left out, a task of a lost worker fails, and none is tried again. */
export interface JobPolicy {
  readonly retry?: RetryWords;
  readonly timeoutMs?: number;
  readonly stallMs?: number;
  readonly onWorkerLost?: "requeue" | "fail";
  readonly maxRequeues?: number;
}

/** What else can be said about a task when it is submitted. */
export interface SubmitOptions {
  /** The room the job belongs to; `@global`. */
  readonly jobRoom?: string;
  /** Higher first; 0. */
  readonly priority?: number;
  readonly delaySeconds?: number;
  /** The same key and task within 24 hours give the first answer again. */
  readonly idempotencyKey?: string;
}

/** How `listen` looks for tasks. */
export interface ListenOptions {
  /** In seconds; the manager's own where it is left out. */
  readonly pollingInterval?: number;
  /** Ends the loop, and not the manager. */
  readonly signal?: AbortSignal;
}

/** In milliseconds, and such that a timer takes them. */
export function timesOf(options: JobManagerOptions) {
  const { heartbeatInterval = 30, pollingInterval = 2, joinTimeout = 10, unreachableLimit = 120 } = options;
  const { startDelays = [1, 2, 4, 8] } = options;
  return {
    heartbeatMs: msOf("heartbeatInterval", heartbeatInterval),
    pollingMs: msOf("pollingInterval", pollingInterval),
    joinMs: msOf("joinTimeout", joinTimeout, 0),
    unreachableMs: msOf("unreachableLimit", unreachableLimit),
    startDelaysMs: startDelays.map((delay) => msOf("startDelays", delay, 0)),
  };
}

const timerMsMax = 2 ** 31 - 1;

export function msOf(name: string, seconds: number, least = 0.001): number {
  if (!(seconds >= least)) throw new RangeError(`${name} is in seconds, from ${least} on; it was ${seconds}`);
  return Math.min(seconds * 1_000, timerMsMax);
}
