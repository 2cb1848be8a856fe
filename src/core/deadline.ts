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
    timeoutDueAt(task, policy, profile, { since: 0, toldBy: (time) => time }),
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

export type Judgement = { readonly move: Move } | { readonly lookAgainAt: number | null };

/** What a judge knows beside the task. */
export interface Heard {
  readonly now: number;
  /** When a child last gave a sign of life: it counts for its parent. */
  readonly childActiveAt: number | null;
  /** Signs of life could not be heard before this, so their absence proves nothing. */
  readonly since: number;
  /** So long was nobody heard before this that a stall begins anew. */
  readonly awayUntil: number;
  /** How much later whoever spoke last at `from` may fairly be judged, for what could not be heard since. */
  unheardMs(from: number): number;
}

/**
 * What has become due. Time in which nobody listened does not count: a lease that ended could not be extended, and a task
 * that was silent could not speak. Whoever had done it in time could not tell: before a task fails for its time alone, its
 * holder can say so. After a whole window in which nobody listened, each gets its whole time once more.
 */
export function judge(task: TaskRow, policy: Policy, profile: Profile | null, heard: Heard): Judgement {
  const { now, childActiveAt, since, awayUntil, unheardMs } = heard;
  const over = (time: number | null): boolean => time !== null && time <= now;
  const spokeAt = Math.max(task.activeAt, childActiveAt ?? 0, awayUntil);
  const activeAt = spokeAt + unheardMs(spokeAt);
  const heldUnheard = profile !== null && task.claimedAt !== null && task.claimedAt < since;
  const toldBy = (time: number | null): number | null => {
    if (time === null) return null;
    const late = Math.max(...[time, time - tellMs].map((from) => from + unheardMs(from)), time);
    return heldUnheard ? Math.max(late, since + (profile.ownLeaseMs ?? listenMs(profile))) : late;
  };
  const stuckAt = toldBy(stuckDueAt({ ...task, activeAt }, policy, profile));
  const timeoutAt = timeoutDueAt({ ...task, activeAt }, policy, profile, { since, toldBy });
  const leasedUntil = leaseEnd(task, profile, heard);
  const startBy = startDueAt(unstarted(task, heard), policy, profile);
  if (over(stuckAt)) return { move: { type: "timeout", error: stuck(profile) } };
  if (over(leasedUntil)) return { move: { type: "expire", reason: "lease" } };
  if (over(timeoutAt)) return { move: { type: "timeout", error: timedOut } };
  if (over(startBy)) return { move: { type: "release", reason: "never_started" } };
  return { lookAgainAt: earliest(stuckAt, leasedUntil, timeoutAt, startBy) };
}

/** So long before the end of its time somebody may have told of it in vain, and tries again. */
const tellMs = 5_000;

function leaseEnd(task: TaskRow, profile: Profile | null, heard: Heard): number | null {
  const { leasedUntil } = task;
  if (leasedUntil === null || profile === null) return leasedUntil;
  const leaseMs = profile.ownLeaseMs ?? 0;
  const activeAt = Math.max(task.activeAt, heard.childActiveAt ?? 0);
  const extendable = leasedUntil + heard.unheardMs(Math.max(heard.since, leasedUntil - leaseMs));
  return Math.max(extendable, heard.since + leaseMs, activeAt + profile.eventGraceMs);
}

function unstarted(task: TaskRow, { since, unheardMs }: Heard): TaskRow {
  if (task.state !== "claimed" || task.claimedAt === null) return task;
  return { ...task, claimedAt: Math.max(since, task.claimedAt + unheardMs(task.claimedAt)) };
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
  { since, toldBy }: Pick<Heard, "since"> & { toldBy(time: number | null): number | null },
): number | null {
  if (task.state !== "running" || task.startedAt === null) return null;
  const patience = isDeferred(task) ? (task.children?.patience ?? null) : patienceWith(policy, profile);
  if (patience === null) return null;
  const { timeoutMs, stallMs } = patience;
  const timeoutAt = toldBy(task.startedAt + timeoutMs) as number;
  return Math.max(timeoutAt, task.activeAt + stallMs, since + Math.min(stallMs, momentMs));
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
