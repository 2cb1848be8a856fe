// The fence. An attempt belongs to one worker; its number and the worker together are compared on every write.
// The lease token proves both to a door that knows neither: it is computed, not stored, so it costs no write.

import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "./problem.ts";
import type { TaskRow } from "./task-row.ts";

export interface Holder {
  readonly worker: string;
  readonly attempt: number;
}

export function leaseToken(secret: string, task: string, holder: Holder): string {
  return createHmac("sha256", secret).update(`${task}\n${holder.attempt}\n${holder.worker}`).digest("base64url");
}

export function isLeaseToken(secret: string, task: string, holder: Holder, token: string): boolean {
  return isSame(leaseToken(secret, task, holder), token);
}

/** Proves that a connection belongs to the worker that was welcomed under this id. Computed as well: it outlives servers. */
export function resumeToken(secret: string, worker: string): string {
  return createHmac("sha256", secret).update(`resume\n${worker}`).digest("base64url");
}

export function isResumeToken(secret: string, worker: string, token: string): boolean {
  return isSame(resumeToken(secret, worker), token);
}

function isSame(expected: string, given: string): boolean {
  const [ours, theirs] = [Buffer.from(expected), Buffer.from(given)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}

/**
 * The lease a write leaves behind. An extension keeps the version, so a writer with an older copy does not notice it:
 * while a task stays in the same hands, its lease never ends earlier than it did.
 */
export function laterLease(before: Leased, next: Leased): number | null {
  const sameHands = next.worker === before.worker && next.attempt === before.attempt;
  if (!sameHands || before.leasedUntil === null || next.leasedUntil === null) return next.leasedUntil;
  return Math.max(before.leasedUntil, next.leasedUntil);
}

type Leased = Pick<TaskRow, "worker" | "attempt" | "leasedUntil">;

/** Throws unless the task is in these very hands. */
export function checkHolder(
  task: { readonly id: string; readonly worker: string | null; readonly attempt: number },
  holder: Holder,
): void {
  if (task.worker === holder.worker && task.attempt === holder.attempt) return;
  const { worker, attempt } = holder;
  throw new Problem("lease-lost", `Attempt ${attempt} of task ${task.id} no longer belongs to worker ${worker}`);
}

/** What a caller brings to prove that an attempt is his. */
export interface Proof {
  readonly attempt?: number | undefined;
  readonly leaseToken?: string | undefined;
}

/**
 * The attempt that the owner of the present holder means, where his token, if he has one, proved none. Without a word he
 * is believed while the task has had one holder in its life: after that, a late word of the first could be taken for one
 * of the second.
 */
export function meantHolder(task: string, current: Holder, { attempt, leaseToken }: Proof): Holder {
  if (attempt !== undefined) return { ...current, attempt };
  if (leaseToken !== undefined) throw new Problem("lease-lost", `The lease token is none of task ${task}`);
  if (current.attempt === 1) return current;
  throw new Problem("lease-token-required", `Task ${task} has had other holders: send the lease token of your claim`);
}
