// What a handler throws to say more than that it failed.

/**
 * Thrown by a handler that wants to be asked again later. It costs no attempt of the retry policy.
 *
 * @example
 * ```ts
 * import { job, RetryLater } from "leadhand";
 *
 * export const jobs = [
 *   job("@global:analysis:Import", {}, async (task) => {
 *     const { page = 0 } = (task.checkpoint ?? {}) as { page?: number };
 *     if (page < 3) throw new RetryLater(5_000, { checkpoint: { page: page + 1 } });
 *     return { pages: page };
 *   }),
 * ];
 * ```
 */
export class RetryLater extends Error {
  override readonly name: string = "RetryLater";
  readonly delayMs: number;
  /** Handed to the next attempt as `task.checkpoint`; undefined keeps the one before. */
  readonly checkpoint: unknown;

  constructor(delayMs = 0, { checkpoint }: { readonly checkpoint?: unknown } = {}) {
    super(`To be tried again in ${delayMs} ms`);
    if (!(Number.isFinite(delayMs) && delayMs >= 0)) throw new RangeError("RetryLater takes milliseconds from 0 on");
    this.delayMs = Math.round(delayMs);
    this.checkpoint = checkpoint;
  }
}

/** What a failure says beside its message. */
export interface FailOptions {
  /** For programs; at most 255 characters. */
  readonly code?: string;
  /** Anything that can be said in JSON. */
  readonly details?: unknown;
  /** False: no other attempt, whatever the retry policy would grant. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/**
 * Thrown by a handler to fail its task in its own words. Any other error fails the task too, with its message.
 *
 * @example
 * ```ts
 * import { Fail, job } from "leadhand";
 *
 * export const jobs = [
 *   job("@global:analysis:Send", {}, () => {
 *     throw new Fail("There is no such mailbox", { code: "no-mailbox", retryable: false });
 *   }),
 * ];
 * ```
 */
export class Fail extends Error {
  override readonly name = "Fail";
  readonly code: string | null;
  readonly details: unknown;
  readonly retryable: boolean;

  constructor(message: string, { code, details, retryable = true, cause }: FailOptions = {}) {
    super(message, { cause });
    this.code = code ?? null;
    this.details = details;
    this.retryable = retryable;
  }
}
