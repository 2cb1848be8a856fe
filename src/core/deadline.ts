// What time does to a task that someone holds, or that waits for its children. One instant per task, `dueAt`, says when
// the sweeper must look; `judge` says what it finds there. A deadline may move; it never moves without a reason here.

import type { Patience } from "./family.ts";
import { listenMs, momentMs, type Profile } from "./liveness.ts";
import type { Policy } from "./policy.ts";
import { Problem } from "./problem.ts";
import type { Circumstances, Move } from "./task.ts";
import { type Failure, isDeferred, type TaskRow } from "./task-row.ts";

type Held = Pick<TaskRow, "state" | "worker" | "claimedAt" | "startedAt" | "leasedUntil" | "activeAt" | "children">;

/** The earliest instant at which something may have to happen. */
export function dueAt(task: Held, policy: Policy, profile: Profile | null): number | null {
  return earliest(
    ...[task.leasedUntil, startDueAt(task, policy, profile), stuckDueAt(task, policy, profile)],
    timeoutDueAt(task, policy, profile, { activeAt: task.activeAt, since: 0 }),
  );
}

function earliest(...times: readonly (number | null)[]): number | null {
  return times.reduce(earlier, null);
}

/**
 * How soon after taking it to look at a task first. Stores set this in the statement that claims, so it is a minimum of
 * what the profile says and what the task says: too early costs one look, too late would break a promise.
 */
export function takeDueMs(policy: Policy, profile: Profile | null, assigned: boolean): number | null {
  return earlier(policyDueMs(policy), profileDueMs(profile, assigned));
}

export function policyDueMs(policy: Policy): number | null {
  return earlier(earlier(policy.timeoutMs ?? null, policy.stuckTaskMs ?? null), policy.startWithinMs ?? null);
}

export function profileDueMs(profile: Profile | null, assigned: boolean): number | null {
  if (profile === null) return null;
  const held = earlier(profile.stuckTaskMs, profile.ownLeaseMs);
  return earlier(held, assigned ? profile.timeoutMs : profile.startWithinMs);
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null ? b : b === null ? a : Math.min(a, b);
}

/**
 * A longer lease, and when to look then. No move: it has no event, and the version stays. Without the holder's profile
 * not all deadlines are known, so the next look may only come earlier.
 */
export function extension(
  task: TaskRow,
  leaseMs: number,
  { now, policy, profile }: Pick<Circumstances, "now" | "policy" | "profile">,
): Pick<TaskRow, "leasedUntil" | "dueAt"> {
  if (task.leasedUntil === null) {
    const why = "it has no lease of its own, and lives by its worker's beats";
    throw new Problem("invalid-task-transition", `Task ${task.id} cannot be extended: ${why}`);
  }
  const leasedUntil = Math.max(task.leasedUntil, now + leaseMs);
  const next = profile === null ? earlier(task.dueAt, leasedUntil) : dueAt({ ...task, leasedUntil }, policy, profile);
  return { leasedUntil, dueAt: next };
}

/**
 * The shortest of the times by which a task is judged: who does not listen for less than a fifth of it is not late for any
 * of them.
 */
export function windowMs(
  { row, policy }: { readonly row: TaskRow; readonly policy: Policy },
  profile: Profile | null,
): number {
  const patience = isDeferred(row) ? (row.children?.patience ?? null) : patienceWith(policy, profile);
  const { startWithinMs = profile?.startWithinMs, stuckTaskMs = profile?.stuckTaskMs } = policy;
  const times = [
    profile?.lostMs,
    profile?.ownLeaseMs,
    startWithinMs,
    stuckTaskMs,
    patience?.timeoutMs,
    patience?.stallMs,
  ];
  return Math.min(5 * momentMs, ...times.filter((ms) => ms != null && ms > 0).map(Number));
}

export type Judgement = { readonly move: Move } | { readonly lookAgainAt: number | null };

/** What a judge knows beside the task. */
export interface Heard {
  readonly now: number;
  /** When a child last gave a sign of life: it counts for its parent. */
  readonly childActiveAt: number | null;
  /** Signs of life could not be heard before this, so their absence proves nothing. */
  readonly since: number;
  /** And those given before this may be lost, not only late. */
  readonly awayUntil: number;
}

/**
 * What has become due. A lease that ended while nobody listened could not be extended, and a task that was silent then
 * could not speak: each gets its whole time once more. After a mere moment, in which signs of life come late and are not
 * lost, a silent task has as long again: moments that come and come must not keep it for ever. Whoever had done it in time
 * could not tell: before a task that was held then fails for its time alone, its holder has a window to say so. Windows
 * add up: whoever is not heard for a moment, again and again, is not judged in between.
 */
export function judge(task: TaskRow, policy: Policy, profile: Profile | null, heard: Heard): Judgement {
  const { now, childActiveAt, since, awayUntil } = heard;
  const over = (time: number | null): boolean => time !== null && time <= now;
  const activeAt = Math.max(task.activeAt, childActiveAt ?? 0);
  const fair = {
    ...{ ...task, activeAt: Math.max(activeAt, awayUntil) },
    claimedAt: task.state === "claimed" && task.claimedAt !== null ? Math.max(task.claimedAt, since) : task.claimedAt,
    leasedUntil: leaseEnd(task.leasedUntil, profile, { activeAt, since }),
  };
  const heldUnheard = profile !== null && task.claimedAt !== null && task.claimedAt < since;
  const toldBy = (time: number | null): number | null =>
    time === null || !heldUnheard ? time : Math.max(time, since + (profile.ownLeaseMs ?? listenMs(profile)));
  const stuckAt = toldBy(stuckDueAt({ ...fair, claimedAt: task.claimedAt }, policy, profile));
  const timeoutAt = toldBy(timeoutDueAt(task, policy, profile, { activeAt: fair.activeAt, since }));
  const startBy = startDueAt(fair, policy, profile);
  if (over(stuckAt)) return { move: { type: "timeout", error: stuck(profile) } };
  if (over(fair.leasedUntil)) return { move: { type: "expire", reason: "lease" } };
  if (over(timeoutAt)) return { move: { type: "timeout", error: timedOut } };
  if (over(startBy)) return { move: { type: "release", reason: "never_started" } };
  return { lookAgainAt: earliest(stuckAt, fair.leasedUntil, timeoutAt, startBy) };
}

function leaseEnd(
  leasedUntil: number | null,
  profile: Profile | null,
  { activeAt, since }: Pick<Heard, "since"> & Pick<TaskRow, "activeAt">,
): number | null {
  if (leasedUntil === null || profile === null) return leasedUntil;
  return Math.max(leasedUntil, since + (profile.ownLeaseMs ?? 0), activeAt + profile.eventGraceMs);
}

function startDueAt(task: Held, policy: Policy, profile: Profile | null): number | null {
  const within = policy.startWithinMs ?? profile?.startWithinMs ?? null;
  return task.state !== "claimed" || within === null || task.claimedAt === null ? null : task.claimedAt + within;
}

/**
 * Counted from the claim, and no sign of life helps, unless the profile says so. A deferred task is in nobody's hands, so
 * it cannot be stuck there.
 */
function stuckDueAt(task: Held, policy: Policy, profile: Profile | null): number | null {
  const after = policy.stuckTaskMs ?? profile?.stuckTaskMs ?? null;
  if (task.worker === null || after === null || task.claimedAt === null) return null;
  return (profile?.stuckBasis === "lastProgressAt" ? Math.max(task.claimedAt, task.activeAt) : task.claimedAt) + after;
}

/** Too long *and* silent: a task that still speaks may go on. */
function timeoutDueAt(
  task: Held,
  policy: Policy,
  profile: Profile | null,
  { activeAt, since }: Pick<Heard, "since"> & Pick<TaskRow, "activeAt">,
): number | null {
  if (task.state !== "running" || task.startedAt === null) return null;
  const patience = isDeferred(task) ? (task.children?.patience ?? null) : patienceWith(policy, profile);
  if (patience === null) return null;
  const { timeoutMs, stallMs } = patience;
  return Math.max(task.startedAt + timeoutMs, activeAt + stallMs, since + Math.min(stallMs, momentMs));
}

/** Null where there is no timeout. A task keeps it when it defers: its holder's profile is not known any more then. */
export function patienceWith(policy: Policy, profile: Profile | null): Patience | null {
  const timeoutMs = policy.timeoutMs ?? profile?.timeoutMs ?? null;
  return timeoutMs === null ? null : { timeoutMs, stallMs: policy.stallMs ?? profile?.stallMs ?? 0 };
}

const timedOut: Failure = { message: "Ran longer than its timeout", code: "JobTimeout", details: null };

function stuck(profile: Profile | null): Failure {
  const { stuckMessage: message = "Held longer than allowed", stuckCode: code = "STUCK_JOB_TIMEOUT" } = profile ?? {};
  return { message, code, details: null };
}
