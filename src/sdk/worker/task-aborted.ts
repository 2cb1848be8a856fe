// Why a handler is asked to stop, as its task's signal says it.

/** Why a handler was asked to stop: the task was cancelled or ran out of time, is another's by now, or the worker ends. */
export type AbortCause = "cancelled" | "lost" | "draining";

/**
 * The reason of a task's signal.
 *
 * @example
 * ```ts
 * import { job, RetryLater, TaskAborted } from "leadhand";
 *
 * export const walk = job("@global:analysis:Walk", {}, async (task) => {
 *   for (let page = 0; page < 100; page += 1) {
 *     const { aborted, reason } = task.signal;
 *     if (aborted && reason instanceof TaskAborted && reason.why === "draining") {
 *       throw new RetryLater(0, { checkpoint: { page } });
 *     }
 *     task.signal.throwIfAborted();
 *     await Promise.resolve(page);
 *   }
 * });
 * ```
 */
export class TaskAborted extends Error {
  override readonly name = "TaskAborted";
  readonly why: AbortCause;

  constructor(why: AbortCause) {
    super(wordsFor(why));
    this.why = why;
  }
}

const wordsFor = (why: AbortCause): string => `The task was stopped: ${why}`;

/** The first reason counts. But whoever was only asked to end, and has not, is told when the task has become another's. */
export function stopWith(stopped: AbortController, why: AbortCause): void {
  const { aborted, reason } = stopped.signal;
  if (!aborted) stopped.abort(new TaskAborted(why));
  else if (reason instanceof TaskAborted && reason.why === "draining")
    Object.assign(reason, { why, message: wordsFor(why) });
}
