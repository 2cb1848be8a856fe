// A handler in a session of the author's own database: begun before it, committed before its task completes, rolled back
// when it fails. What went wrong only for a moment is tried again, in a session of its own.

import { setTimeout as pause } from "node:timers/promises";
import { documentPatience, type Tries, waitMs } from "../../core/patience.ts";
import { afterwards, isPending } from "../afterwards.ts";
import { Fail } from "../ending.ts";
import { wordsOf } from "../failure.ts";
import type { Deferral, Handler, JobDefinition, Task } from "../job.ts";
import { completed } from "../run-handler.ts";
import { chance } from "../system.ts";
import { within } from "../worker/cut-short.ts";
import { TaskAborted } from "../worker/task-aborted.ts";

/**
 * How a worker opens and closes the sessions that its handlers work in.
 *
 * @example
 * ```ts
 * import { Worker } from "leadhand";
 *
 * const rows = new Map<string, number>();
 * const worker = new Worker({
 *   link: "amqp",
 *   queue: "protea.jobs",
 *   sessions: {
 *     begin: async () => new Map(rows),
 *     commit: async (session: Map<string, number>) => session.forEach((value, key) => rows.set(key, value)),
 *     rollback: async () => undefined,
 *   },
 * });
 * worker.job("@global:operations:count", {}, (task) => {
 *   (task.session as Map<string, number>).set("counted", 1);
 * });
 * ```
 */
export interface Sessions<S = unknown> {
  begin(): S | Promise<S>;
  /** Where it fails, the task fails. Not called once the task was cancelled, or is another's. */
  commit(session: S): unknown;
  rollback(session: S): unknown;
}

const jitter = 0.3;
const rollbackMs = 10_000;

/** How long to wait before try `n + 1`, counted from 1; `luck` is from 0 to 1. */
export function transientDelayMs(n: number, luck: number, tries: Tries = documentPatience.transient): number {
  return waitMs(tries, n) * (1 - jitter + 2 * jitter * luck);
}

/** PostgreSQL's: deadlock, serialisation failure, connections that broke, and a server that is going or coming. */
const transientStates: readonly string[] = [
  ...["40P01", "40001", "08000", "08001", "08003", "08006", "57P01", "57P02", "57P03"],
];
const transientCodes: readonly string[] = [
  ...["ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ESOCKETTIMEDOUT"],
  ...["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
];

/** What `pg` says without a code: of a statement that was under way, and of the next one on the same connection. */
const brokenConnection = /^connection (?:reset|aborted|terminated)|^client has encountered a connection error/i;
/** And of an answer, or a connection of its pool, that did not come in time. */
const tooLate = /^(?:query read timeout|timeout expired|timeout exceeded when trying to connect)/i;

/** Libraries wrap what they were told, and are wrapped in turn. */
const causesMax = 5;

/** A deadlock, a serialisation failure, a connection that broke, or a timeout: as likely as not it passes. */
export function isTransient(error: unknown): boolean {
  let each = error;
  for (let depth = 0; depth <= causesMax && each instanceof Error; depth += 1) {
    if (mayPass(each)) return true;
    // Whoever says how a task fails has judged the cause.
    if (each instanceof Fail) return false;
    each = each.cause;
  }
  return false;
}

function mayPass(error: Error): boolean {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === "string" && (transientStates.includes(code) || transientCodes.includes(code))) return true;
  return error.name === "TimeoutError" || brokenConnection.test(error.message) || tooLate.test(error.message);
}

/** Commits that fail are never tried again: nobody knows how much of them was done. */
class CommitFailed extends Fail {
  constructor(cause: unknown) {
    super(`The session could not be committed: ${wordsOf(cause)}`, { code: "SessionCommitFailed", cause });
  }
}

export interface SteadyHandlerParts<S = unknown> {
  readonly sessions?: Sessions<S> | undefined;
  /** The document's three where absent. */
  readonly tries?: Tries;
  /** Waits so long, or rejects. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** The same job, in sessions, and tried a few times where something passing went wrong. */
export function steadyJob<S>(given: JobDefinition, parts: SteadyHandlerParts<S>): JobDefinition {
  const { sessions, tries = documentPatience.transient, wait = pausing } = parts;
  const once = sessions === undefined ? outOfSession(given) : inSession(given, sessions);

  async function again(task: Task, first: unknown): Promise<unknown> {
    let error = first;
    for (let tried = 1; tried < tries.attempts; tried += 1) {
      if (!isTransient(error) || task.signal.aborted) throw error;
      task.log.warn(`tried again after something that may pass: ${wordsOf(error)}`);
      await wait(transientDelayMs(tried, chance(), tries), task.signal);
      try {
        return await once(task);
      } catch (next) {
        error = next;
      }
    }
    throw error;
  }

  return {
    ...given,
    handler(task) {
      try {
        const answer = once(task);
        return isPending(answer) ? answer.catch((error: unknown) => again(task, error)) : answer;
      } catch (error) {
        return again(task, error);
      }
    },
  };
}

/** What a try that failed wanted to defer is forgotten with it. */
function lateDeferral(task: Task) {
  let deferral: Deferral | null = null;
  return {
    defer(wanted: Deferral): void {
      deferral = wanted;
    },
    /** When nothing can go wrong any more that is tried again. */
    tell(): void {
      if (deferral !== null) task.defer(deferral);
    },
  };
}

function outOfSession(job: JobDefinition): Handler {
  return (task) => {
    const { defer, tell } = lateDeferral(task);
    return afterwards(job.handler({ ...task, defer }), (answer) => {
      tell();
      return answer;
    });
  };
}

function inSession<S>(job: JobDefinition, { begin, commit, rollback }: Sessions<S>): Handler {
  return async (task) => {
    const session = await begin();
    const { defer, tell } = lateDeferral(task);
    let answer: unknown;
    try {
      // A session may be long in coming, and somebody else may do the work by then.
      if (isUnwanted(task.signal)) throw task.signal.reason;
      answer = await job.handler({ ...task, session, defer });
      // What is refused for its result has failed, and a session is committed for a task that has not.
      await completed(job, answer);
      // Nobody will hear of this end, so what was done for it must not stay.
      if (isUnwanted(task.signal)) throw task.signal.reason;
      tell();
    } catch (error) {
      // What the handler threw says more than why its session could not be closed.
      await rolledBack(session, rollback).catch((why: unknown) => task.log.warn("rollback:", wordsOf(why)));
      throw error;
    }
    try {
      await commit(session);
    } catch (error) {
      await rolledBack(session, rollback).catch(() => {});
      throw new CommitFailed(error);
    }
    return answer;
  };
}

/** A database that is gone without a word must not keep the task: nothing depends on its answer. */
function rolledBack<S>(session: S, rollback: Sessions<S>["rollback"]): Promise<unknown> {
  return within(rollbackMs, Promise.resolve(session).then(rollback));
}

function isUnwanted({ reason }: AbortSignal): boolean {
  return reason instanceof TaskAborted && (reason.why === "cancelled" || reason.why === "lost");
}

function pausing(ms: number, signal: AbortSignal): Promise<unknown> {
  return pause(ms, undefined, { signal });
}
