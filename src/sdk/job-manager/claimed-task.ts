// A task in a manager's hands, with its extension, and what may be said about it while it runs.

import type { TaskLog } from "../job.ts";
import type { Extension } from "./extension.ts";

/** A task as the server tells it; what else it tells is there too. */
export interface TaskBody {
  readonly id: string;
  readonly job_name: string;
  readonly room_id: string;
  readonly status: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly attempt: number;
  readonly worker_id: string | null;
  readonly [key: string]: unknown;
}

/**
 * What `claim` and `listen` give, and `execute` gets.
 *
 * @example
 * ```ts
 * import type { ClaimedTask } from "leadhand";
 *
 * export async function execute(task: ClaimedTask): Promise<unknown> {
 *   task.progress(0, 10, "beginning");
 *   task.signal.throwIfAborted();
 *   return task.extension.run({ room: task.roomId });
 * }
 * ```
 */
export interface ClaimedTask<E extends Extension = Extension> {
  readonly taskId: string;
  /** Full name, `room:category:name`. */
  readonly jobName: string;
  /** The room it was submitted to. */
  readonly roomId: string;
  /** An instance of the registered class, with the payload in its fields. */
  readonly extension: E;
  /** Counts from 1; every claim is another attempt. */
  readonly attempt: number;
  /** What the attempt before left behind; undefined where there was none. */
  readonly checkpoint: unknown;
  /** The task as the server told it. */
  readonly task: TaskBody;
  /** Proves that the attempt is ours. */
  readonly leaseToken: string;
  /** Aborted when the task was cancelled, was given to others, or when the manager has to end. */
  readonly signal: AbortSignal;
  /** Returns at once; the latest report is sent. */
  progress(current: number, total?: number, message?: string): void;
  /** Lines of the task's log. */
  readonly log: TaskLog;
}

/**
 * Why a task's signal was aborted: its outcome is no longer asked for.
 *
 * @example
 * ```ts
 * import { type ClaimedTask, TaskLost } from "leadhand";
 *
 * export function cleanUpAfter(task: ClaimedTask, remove: () => void): void {
 *   task.signal.addEventListener("abort", () => {
 *     if (task.signal.reason instanceof TaskLost) remove();
 *   });
 * }
 * ```
 */
export class TaskLost extends Error {
  override readonly name = "TaskLost";
}
