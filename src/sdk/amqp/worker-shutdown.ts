/**
 * What a task is failed with when its worker had to end and could not give it back: its name is the task's `error_code`.
 *
 * @example
 * ```ts
 * import { WorkerShutdown } from "leadhand";
 *
 * const why = new WorkerShutdown("The machine is being updated");
 * console.log(why.name);
 * ```
 */
export class WorkerShutdown extends Error {
  override readonly name = "WorkerShutdown";

  constructor(message = "The worker was asked to end while the task was running") {
    super(message);
  }
}
