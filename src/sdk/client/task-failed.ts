import type { TaskView } from "./words.ts";

/**
 * Thrown by `Client.run` for a task that ended without a result.
 *
 * @example
 * ```ts
 * import { Client, TaskFailed } from "leadhand";
 *
 * const client = new Client({ token: "lh_…" });
 * try {
 *   await client.run("@global:modifiers:Rotate", { angle: 90 });
 * } catch (error) {
 *   if (error instanceof TaskFailed) console.error(error.task.status, error.code, error.message);
 *   else throw error;
 * }
 * ```
 */
export class TaskFailed extends Error {
  override readonly name = "TaskFailed";
  /** Failed or cancelled. */
  readonly task: TaskView;
  readonly code: string | null;

  constructor(task: TaskView) {
    super(task.error ?? `Task ${task.id} was ${task.status}`);
    this.task = task;
    this.code = task.error_code;
  }
}
