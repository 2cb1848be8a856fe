// The task machine. Nothing else decides what may happen to a task.
//
//             submit
//               │
//               ▼      claim            start             complete
//    ┌──────► pending ───────► claimed ───────► running ───────────► completed
//    │          │                 │                │
//    │ release, │                 │ fail, expire,  │ fail, expire, timeout, count
//    │ expire,  │ cancel          ├─timeout────────┼──────────────► failed
//    │ retry    │                 │ cancel         │ cancel
//    └──────────┼─────────────────┴────────────────┘
//               └────────────────────────────────────────────────► cancelled
//
// assign is claim and start in one move. A deferred task is running with no holder: a coordinator that waits for its
// children. Every move raises the version by one and writes exactly one event; the version is what writers compare.

import { dueAt, patienceWith, takeDueMs } from "./deadline.ts";
import { type Children, childrenAfter, childrenVerdict, closedVia, noChildren, type Tally } from "./family.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Profile } from "./liveness.ts";
import type { OperationMessage } from "./messages.ts";
import { grantsRequeue, grantsRetry, type Policy, requeuesMax, retryDelayMs } from "./policy.ts";
import { Problem } from "./problem.ts";
import { type ProgressReport, progressAfter } from "./progress.ts";
import type { EventType, TaskEvent } from "./task-event.ts";
import { type Failure, isDeferred, nobody, type Outcome, type TaskRow, type TaskState } from "./task-row.ts";

/** What may be done to a task; which move is legal in which state is in `legalMoves`. */
export type Move =
  | { readonly type: "claim" | "assign"; readonly worker: string }
  | { readonly type: "start" }
  | { readonly type: "complete"; readonly result: string | null; readonly note?: string | null }
  | { readonly type: "fail"; readonly error: Failure; readonly retryable?: boolean }
  | {
      readonly type: "release";
      readonly reason: string;
      readonly delayMs?: number;
      readonly checkpoint?: string | null;
    }
  | { readonly type: "expire"; readonly reason: "session" | "lease" | "removed" }
  /** Messages are for a broker's queues; they are sent once the move is written, in this order. */
  | { readonly type: "defer"; readonly total: number; readonly messages?: readonly OperationMessage[] }
  | ({ readonly type: "count" } & Tally)
  | { readonly type: "timeout"; readonly error: Failure }
  | { readonly type: "cancel"; readonly reason: string | null; readonly note?: string | null }
  | { readonly type: "progress"; readonly progress: ProgressReport }
  /** A broker may have lost its message: it is to be told of the task again. */
  | { readonly type: "republish" };

export type MoveType = Move["type"];

/** What a move needs to know beside the task: handed in, so that the machine stays pure. */
export interface Circumstances {
  readonly now: number;
  readonly policy: Policy;
  /** Of the worker that holds or takes the task; null when no worker is involved. */
  readonly profile: Profile | null;
  /** In [0, 1). */
  readonly jitter: number;
  /** Who asked, when it is worth recording: an override, a canceller. */
  readonly actor?: string | null;
  /** The full name of the task's job, by which its failure is known. */
  readonly job?: string | undefined;
  /** Whether a child of the task is open; asked only when what was counted would close it. */
  readonly hasOpenChildren?: () => boolean;
}

export interface Transition {
  readonly next: TaskRow;
  readonly event: TaskEvent;
  /** Present exactly when the next state is final. */
  readonly outcome: Outcome | null;
}

const legal = {
  pending: ["claim", "assign", "cancel", "count", "republish"],
  claimed: ["start", "fail", "release", "expire", "timeout", "cancel", "count"],
  running: ["complete", "fail", "release", "expire", "defer", "timeout", "cancel", "progress", "count"],
  deferred: ["count", "timeout", "cancel"],
  completed: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<TaskState | "deferred", readonly MoveType[]>;

export function legalMoves(task: Pick<TaskRow, "state" | "worker">): readonly MoveType[] {
  return legal[isDeferred(task) ? "deferred" : task.state];
}

/** Throws unless the task, as it is, may make the move. */
export function checkLegal(task: Pick<TaskRow, "id" | "state" | "worker">, type: MoveType): void {
  if (legalMoves(task).includes(type)) return;
  const state = isDeferred(task) ? "running (deferred)" : task.state;
  throw new Problem("invalid-task-transition", `Task ${task.id} is ${state}; it cannot ${type}`);
}

export function transition(task: TaskRow, move: Move, around: Circumstances): Transition {
  checkLegal(task, move.type);
  switch (move.type) {
    case "claim":
    case "assign":
      return take(task, move, around);
    case "start":
      return go(task, around, "task.started", { state: "running", startedAt: around.now });
    case "complete":
      return end(task, around, "task.completed", { state: "completed", result: move.result, error: noted(move.note) });
    case "fail":
      return fail(task, move, around);
    case "release":
      return release(task, move, around);
    case "expire":
      return expire(task, move, around);
    case "defer":
      return defer(task, move, around);
    case "count":
      return count(task, move, around);
    case "timeout":
      return end(task, around, "task.timed_out", { state: "failed", result: null, error: move.error });
    case "cancel":
      return cancel(task, move, around);
    case "progress":
      return progress(task, move, around);
    case "republish":
      return go(task, around, "task.republished", {});
  }
}

function take(task: TaskRow, move: Extract<Move, { type: "claim" | "assign" }>, around: Circumstances): Transition {
  const assigned = move.type === "assign";
  const { now, policy, profile } = around;
  const dueMs = takeDueMs(policy, profile, assigned);
  return go(task, around, assigned ? "task.assigned" : "task.claimed", {
    state: assigned ? "running" : "claimed",
    attempt: task.attempt + 1,
    worker: move.worker,
    runAt: null,
    claimedAt: now,
    startedAt: assigned ? now : null,
    leasedUntil: profile?.ownLeaseMs == null ? null : now + profile.ownLeaseMs,
    dueAt: dueMs === null ? null : now + dueMs,
  });
}

function fail(task: TaskRow, move: Extract<Move, { type: "fail" }>, around: Circumstances): Transition {
  const failures = task.failures + 1;
  const counted = { ...task, failures };
  if (move.retryable === false || !grantsRetry(around.policy, failures)) {
    return end(counted, around, "task.failed", { state: "failed", result: null, error: move.error });
  }
  const delayMs = retryDelayMs(around.policy, failures, around.jitter);
  const runAt = delayMs > 0 ? around.now + delayMs : null;
  const { message, code } = move.error;
  return back(counted, around, "task.retried", runAt, { error: message, code, runAt });
}

function release(task: TaskRow, move: Extract<Move, { type: "release" }>, around: Circumstances): Transition {
  const runAt = move.delayMs !== undefined && move.delayMs > 0 ? around.now + move.delayMs : null;
  const kept = move.checkpoint === undefined ? task : { ...task, checkpoint: move.checkpoint };
  return back(kept, around, "task.released", runAt, { reason: move.reason, ...(runAt === null ? {} : { runAt }) });
}

function expire(task: TaskRow, move: Extract<Move, { type: "expire" }>, around: Circumstances): Transition {
  const { policy, profile } = around;
  const rule = policy.onWorkerLost ?? profile?.onWorkerLost ?? "requeue";
  const counted = { ...task, losses: task.losses + 1 };
  const budget = { priorRequeues: task.losses, maxRequeues: requeuesMax(policy), lastEventAt: task.activeAt };
  if (rule === "requeue" && grantsRequeue(policy, task.losses)) {
    return back(counted, around, "task.lost", null, { reason: move.reason, ...budget });
  }
  const code = (move.reason === "removed" ? profile?.removedCode : profile?.lostCode) ?? "lease_expired";
  const error = { message: "Worker disconnected", code, details: null };
  const spent = rule === "requeue" ? { ...budget, ...patienceWith(policy, profile) } : {};
  return end(counted, around, "task.lost", { state: "failed", result: null, error }, move.reason, spent);
}

function defer(task: TaskRow, move: Extract<Move, { type: "defer" }>, around: Circumstances): Transition {
  const deferred = { ...task, worker: null, leasedUntil: null };
  const patience = patienceWith(around.policy, around.profile);
  const children = { ...(task.children ?? noChildren), total: move.total, patience };
  return counted(deferred, around, "task.deferred", children, task.worker);
}

function count(task: TaskRow, move: Extract<Move, { type: "count" }>, around: Circumstances): Transition {
  const children = childrenAfter(task.children ?? noChildren, move);
  return counted(task, around, "task.counted", children, task.worker);
}

function counted(
  task: TaskRow,
  around: Circumstances,
  type: EventType,
  children: Children,
  worker: string | null,
): Transition {
  const verdict = childrenVerdict(children, around.policy, around.hasOpenChildren);
  const { total, done, failed } = children;
  const via = verdict === null || type !== "task.counted" ? {} : { via: closedVia(verdict) };
  const data = { total, done, failed, ...via };
  // A count says nothing about the holder, so it leaves the holder's deadline alone.
  const change = isDeferred(task) ? {} : { dueAt: task.dueAt };
  const moved =
    verdict === null
      ? go({ ...task, children }, around, type, change, data)
      : end({ ...task, children }, around, type, { ...verdict, result: null }, null, data);
  return { ...moved, event: { ...moved.event, worker } };
}

function progress(task: TaskRow, move: Extract<Move, { type: "progress" }>, around: Circumstances): Transition {
  const after = progressAfter(task.progress, move.progress);
  return go(task, around, "task.progressed", { progress: after }, { ...after });
}

function cancel(task: TaskRow, move: Extract<Move, { type: "cancel" }>, around: Circumstances): Transition {
  const ending = { state: "cancelled", result: null, error: noted(move.note) } as const;
  return end(task, around, "task.cancelled", ending, move.reason);
}

/** A text that came along with an ending that is no failure. */
function noted(text: string | null | undefined): Failure | null {
  return text == null || text === "" ? null : { message: text, code: null, details: null };
}

/** Every return to pending clears who held it; a checkpoint and the counts of children stay for the next attempt. */
function back(
  task: TaskRow,
  around: Circumstances,
  type: EventType,
  runAt: number | null,
  data: EventData,
): Transition {
  return go(task, around, type, { ...nobody, state: "pending", runAt }, data);
}

type EventData = Readonly<Record<string, unknown>>;

function end(
  task: TaskRow,
  around: Circumstances,
  type: EventType,
  ending: Omit<Outcome, "finishedAt">,
  reason?: string | null,
  data: EventData = {},
): Transition {
  const said = { ...data, ...(reason == null ? {} : { reason }), ...failureData(ending.error) };
  const children = task.children === null ? null : { ...task.children, patience: null };
  const change = { state: ending.state, leasedUntil: null, runAt: null, dueAt: null, children };
  const outcome = { ...ending, finishedAt: around.now };
  return { ...go(task, around, type, change, said), outcome: fingerprinted(outcome, around.job) };
}

function fingerprinted(outcome: Outcome, job: string | undefined): Outcome {
  if (outcome.state !== "failed" || outcome.error === null || job === undefined) return outcome;
  return { ...outcome, fingerprint: fingerprint(job, outcome.error) };
}

function failureData(error: Failure | null): EventData {
  if (error === null) return {};
  return error.code === null ? { error: error.message } : { error: error.message, code: error.code };
}

function go(
  task: TaskRow,
  around: Circumstances,
  type: EventType,
  change: Partial<TaskRow>,
  data: EventData = {},
): Transition {
  const moved = { ...task, ...change, version: task.version + 1, activeAt: around.now };
  const next = "dueAt" in change ? moved : { ...moved, dueAt: dueAt(moved, around.policy, around.profile) };
  const said = around.actor == null ? data : { ...data, actor: around.actor };
  const event: TaskEvent = {
    task: task.id,
    version: next.version,
    at: around.now,
    type,
    state: next.state,
    attempt: next.attempt,
    worker: next.worker ?? task.worker,
    data: Object.keys(said).length === 0 ? null : JSON.stringify(said),
  };
  return { next, event, outcome: null };
}
