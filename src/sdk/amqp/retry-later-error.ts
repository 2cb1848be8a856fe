import { RetryLater } from "../ending.ts";

/**
 * The document's word for `RetryLater`: thrown by an operation that cannot run yet, as while the GPU is taken. The task
 * waits in its queue, longer each time, up to ten minutes; nothing counts as a failure.
 *
 * @example
 * ```ts
 * import { OperationRegistry, RetryLaterError } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({
 *   name: "compute_embeddings",
 *   execute() {
 *     throw new RetryLaterError("The GPU is taken", 60);
 *   },
 * });
 * ```
 */
export class RetryLaterError extends RetryLater {
  override readonly name = "RetryLaterError";
  readonly reason: string;
  readonly delaySeconds: number;

  constructor(reason: string, delaySeconds = 60) {
    super(delaySeconds * 1_000);
    this.message = reason;
    this.reason = reason;
    this.delaySeconds = delaySeconds;
  }
}
