// What a job or a task says about retries, losses and time. A task keeps the policy it was submitted with, its own
// words over its job's; what neither says comes from the profile of the worker that holds it, then from here.

export interface RetryPolicy {
  readonly maxAttempts: number;
  readonly baseMs: number;
  readonly capMs: number;
}

export type OnWorkerLost = "fail" | "requeue";
export type OnChildFailure = "stall" | "failWhenSettled" | "failFast";

/** What is said; a missing key leaves the choice to the next in line. */
export interface Policy {
  readonly retry?: Partial<RetryPolicy>;
  readonly timeoutMs?: number;
  readonly stallMs?: number;
  readonly stuckTaskMs?: number;
  readonly startWithinMs?: number;
  readonly onWorkerLost?: OnWorkerLost;
  readonly maxRequeues?: number;
  readonly onChildFailure?: OnChildFailure;
  readonly logs?: boolean;
  /** What the door a task came in by has to say of it, and shows again; it decides nothing. */
  readonly words?: Readonly<Record<string, unknown>>;
}

export const defaultRetry: RetryPolicy = { maxAttempts: 1, baseMs: 1_000, capMs: 600_000 };
export const defaultMaxRequeues = 3;

/** The spread of a retry's wait around its exact value. */
const jitterShare = 0.3;

/** Task over job. The result is stored with the task. */
export function mergePolicies(task: Policy | null, job: Policy | null): Policy {
  if (task === null) return job ?? {};
  if (job === null) return task;
  const retry = task.retry || job.retry ? { retry: { ...job.retry, ...task.retry } } : {};
  return { ...job, ...task, ...retry };
}

/** How long to wait before the try after the n-th failure; `jitter` is a number in [0, 1). */
export function retryDelayMs(policy: Policy, failures: number, jitter: number): number {
  const { baseMs, capMs } = { ...defaultRetry, ...policy.retry };
  const exact = Math.min(baseMs * 2 ** Math.min(failures - 1, 52), capMs);
  return Math.round(exact * (1 + jitterShare * (2 * jitter - 1)));
}

/** How long a task whose payload is refused by a new spec waits before it is looked at again; attempts count from 1. */
export function refusedDelayMs(attempt: number): number {
  return Math.min(5_000 * 2 ** Math.min(attempt - 1, 52), 300_000);
}

export function grantsRetry(policy: Policy, failures: number): boolean {
  return failures < (policy.retry?.maxAttempts ?? defaultRetry.maxAttempts);
}

export function grantsRequeue(policy: Policy, lossesBefore: number): boolean {
  return lossesBefore < requeuesMax(policy);
}

export function requeuesMax({ maxRequeues = defaultMaxRequeues }: Policy): number {
  return maxRequeues;
}

/** Most tasks say nothing, so the empty policy is null in the store and costs no parsing. */
export function policyText(policy: Policy): string | null {
  return Object.keys(policy).length === 0 ? null : JSON.stringify(policy);
}

const noPolicy: Policy = {};

export function parsePolicy(text: string | null): Policy {
  return text === null ? noPolicy : (JSON.parse(text) as Policy);
}
