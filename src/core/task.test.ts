import assert from "node:assert/strict";
import { test } from "node:test";
import { aRow, taskId, workerId } from "../testing/builders.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { defaultProfiles } from "./liveness.ts";
import { Problem } from "./problem.ts";
import { type Circumstances, legalMoves, type Move, type MoveType, transition } from "./task.ts";
import type { TaskRow, TaskState } from "./task-row.ts";

const now = worldStart + 1_000;
const error = { message: "bad", code: "E1", details: '{"a":1}' };
const profile = defaultProfiles.rest;

const moves: Readonly<Record<MoveType, Move>> = {
  claim: { type: "claim", worker: workerId(1) },
  assign: { type: "assign", worker: workerId(1) },
  start: { type: "start" },
  complete: { type: "complete", result: '{"ok":true}' },
  fail: { type: "fail", error },
  release: { type: "release", reason: "drain" },
  expire: { type: "expire", reason: "session" },
  defer: { type: "defer", total: 2 },
  count: { type: "count", done: 1, failed: 0 },
  timeout: { type: "timeout", error },
  cancel: { type: "cancel", reason: null },
  progress: { type: "progress", progress: { current: 1, total: 2, message: "half" } },
  republish: { type: "republish" },
};

const held = { worker: workerId(1), attempt: 1, version: 2, claimedAt: worldStart };
const rows: Readonly<Record<TaskState | "deferred", TaskRow>> = {
  pending: aRow(),
  claimed: aRow({ ...held, state: "claimed" }),
  running: aRow({ ...held, state: "running", startedAt: worldStart }),
  deferred: aRow({
    ...{ state: "running", attempt: 1, version: 4, claimedAt: worldStart, startedAt: worldStart },
    children: { total: 2, done: 0, failed: 0, patience: null },
  }),
  completed: aRow({ ...held, state: "completed" }),
  failed: aRow({ ...held, state: "failed" }),
  cancelled: aRow({ ...held, state: "cancelled" }),
};

/** The whole of what may happen, written out a second time on purpose. */
const allowed: Readonly<Record<keyof typeof rows, readonly MoveType[]>> = {
  pending: ["claim", "assign", "cancel", "count", "republish"],
  claimed: ["start", "fail", "release", "expire", "timeout", "cancel", "count"],
  running: ["complete", "fail", "release", "expire", "defer", "timeout", "cancel", "progress", "count"],
  deferred: ["count", "timeout", "cancel"],
  completed: [],
  failed: [],
  cancelled: [],
};

function around(about: Partial<Circumstances> = {}): Circumstances {
  return { now, policy: {}, profile: null, jitter: 0.5, ...about };
}

function after(state: keyof typeof rows, type: MoveType, about: Partial<Circumstances> = {}) {
  return transition(rows[state], moves[type], around(about));
}

for (const state of Object.keys(rows) as (keyof typeof rows)[]) {
  for (const type of Object.keys(moves) as MoveType[]) {
    if (allowed[state].includes(type)) {
      test(`a ${state} task may ${type}, which is one event and one version more`, () => {
        const { next, event, outcome } = after(state, type);
        assert(legalMoves(rows[state]).includes(type));
        assert.equal(next.version, rows[state].version + 1);
        assert.equal(next.activeAt, now);
        const { version, attempt } = next;
        assert.deepEqual(
          { task: event.task, version: event.version, at: event.at, state: event.state, attempt: event.attempt },
          { task: taskId(1), version, at: now, state: next.state, attempt },
        );
        assert.equal(outcome !== null, ["completed", "failed", "cancelled"].includes(next.state));
        if (outcome !== null) assert.deepEqual([outcome.state, outcome.finishedAt], [next.state, now]);
      });
    } else {
      test(`a ${state} task cannot ${type}`, () => {
        const refused = (refusal: unknown) =>
          refusal instanceof Problem && refusal.code === "invalid-task-transition" && refusal.message.includes(type);
        assert.throws(() => after(state, type), refused);
        assert(!legalMoves(rows[state]).includes(type));
      });
    }
  }
}

test("a claim puts the task into a worker's hands as its next attempt", () => {
  const { next, event } = after("pending", "claim", { profile });
  assert.deepEqual(next, {
    ...rows.pending,
    ...{ state: "claimed", version: 2, attempt: 1, worker: workerId(1), claimedAt: now, activeAt: now },
    dueAt: now + 5 * 60_000,
  });
  assert.deepEqual([event.type, event.worker, event.data], ["task.claimed", workerId(1), null]);
});

test("an assignment is a claim and a start in one move", () => {
  const delayed = { ...rows.pending, runAt: now - 5, checkpoint: "[7]", attempt: 4, version: 9 };
  const { next, event } = transition(delayed, moves.assign, around({ profile: defaultProfiles.amqp }));
  assert.deepEqual([next.state, next.attempt, next.startedAt, next.claimedAt], ["running", 5, now, now]);
  assert.deepEqual([next.runAt, next.checkpoint], [null, "[7]"]);
  assert.deepEqual([next.leasedUntil, next.dueAt], [now + 120_000, now + 120_000]);
  assert.equal(event.type, "task.assigned");
});

test("a start is counted from now, and takes the deadline of starting away", () => {
  const { next } = after("claimed", "start", { profile });
  assert.deepEqual([next.state, next.startedAt, next.dueAt], ["running", now, null]);
});

test("a completed task keeps who did it, and has its result and a note if there was one", () => {
  const { next, outcome, event } = after("running", "complete");
  assert.deepEqual([next.state, next.worker, next.startedAt], ["completed", workerId(1), worldStart]);
  assert.deepEqual(outcome, { state: "completed", result: '{"ok":true}', error: null, finishedAt: now });
  assert.deepEqual([event.worker, event.data], [workerId(1), null]);
  const noted = transition(rows.running, { type: "complete", result: null, note: "slow" }, around());
  assert.deepEqual(noted.outcome?.error, { message: "slow", code: null, details: null });
  assert.equal(noted.event.data, '{"error":"slow"}');
  const empty = transition(rows.running, { type: "complete", result: null, note: "" }, around());
  assert.equal(empty.outcome?.error, null);
});

test("a failure without a retry policy is final", () => {
  const { next, outcome, event } = after("running", "fail");
  assert.deepEqual([next.state, next.failures], ["failed", 1]);
  assert.deepEqual(outcome, { state: "failed", result: null, error, finishedAt: now });
  assert.deepEqual([event.type, event.data], ["task.failed", '{"error":"bad","code":"E1"}']);
});

test("a failure that is granted another try goes back for later, in nobody's hands", () => {
  const policy = { retry: { maxAttempts: 2, baseMs: 1_000 } };
  const { next, outcome, event } = after("running", "fail", { policy });
  assert.equal(outcome, null);
  assert.deepEqual(
    [next.state, next.failures, next.runAt, next.worker, next.startedAt, next.claimedAt, next.dueAt],
    ["pending", 1, now + 1_000, null, null, null, null],
  );
  assert.deepEqual([event.type, event.worker], ["task.retried", workerId(1)]);
  assert.deepEqual(JSON.parse(event.data as string), { error: "bad", code: "E1", runAt: now + 1_000 });
  const last = transition({ ...rows.running, failures: 1 }, moves.fail, around({ policy }));
  assert.deepEqual([last.next.state, last.next.failures], ["failed", 2]);
});

test("a failure that is granted another try without a wait goes back at once", () => {
  const { next } = after("running", "fail", { policy: { retry: { maxAttempts: 2, baseMs: 0 } } });
  assert.deepEqual([next.state, next.runAt], ["pending", null]);
});

test("a failure that says it is no use trying again is final whatever the policy grants", () => {
  const move = { type: "fail", error, retryable: false } as const;
  const { next } = transition(rows.running, move, around({ policy: { retry: { maxAttempts: 9 } } }));
  assert.equal(next.state, "failed");
});

test("a release costs no failure and no loss, and keeps a checkpoint if one is given", () => {
  const { next, event } = after("running", "release");
  assert.deepEqual([next.state, next.failures, next.losses, next.attempt, next.runAt], ["pending", 0, 0, 1, null]);
  assert.deepEqual([event.type, event.data, event.worker], ["task.released", '{"reason":"drain"}', workerId(1)]);
  const marked = { ...rows.running, checkpoint: "[1]" };
  const release = (more: object) =>
    transition(marked, { type: "release", reason: "later", ...more } as Move, around()).next;
  assert.equal(release({}).checkpoint, "[1]");
  assert.equal(release({ checkpoint: "[2]" }).checkpoint, "[2]");
  assert.equal(release({ checkpoint: null }).checkpoint, null);
  assert.equal(release({ delayMs: 500 }).runAt, now + 500);
  assert.equal(release({ delayMs: 0 }).runAt, null);
});

test("a lost task is requeued as often as the policy says, and then fails", () => {
  const lose = (losses: number, about: Partial<Circumstances> = {}) =>
    transition({ ...rows.running, losses }, moves.expire, around(about));
  const back = lose(2);
  assert.deepEqual([back.next.state, back.next.losses, back.next.failures], ["pending", 3, 0]);
  const budget = { priorRequeues: 2, maxRequeues: 3, lastEventAt: rows.running.activeAt };
  const told = (event: { readonly data: string | null }) => JSON.parse(event.data ?? "null");
  assert.deepEqual([back.event.type, told(back.event)], ["task.lost", { reason: "session", ...budget }]);
  const gone = lose(3, { profile: defaultProfiles.amqp });
  const { timeoutMs, stallMs } = defaultProfiles.amqp;
  const spent = {
    ...budget,
    priorRequeues: 3,
    timeoutMs,
    stallMs,
    error: "Worker disconnected",
    code: "lease_expired",
  };
  assert.deepEqual(told(gone.event), { reason: "session", ...spent });
  assert.deepEqual([gone.next.state, gone.next.losses], ["failed", 4]);
  assert.deepEqual(gone.outcome?.error, { message: "Worker disconnected", code: "lease_expired", details: null });
  assert.equal(lose(0, { policy: { maxRequeues: 0 } }).next.state, "failed");
});

test("what a lost worker means is said by the task, then by its door", () => {
  const { fleet, work } = defaultProfiles;
  const lose = (about: Partial<Circumstances>, reason: "session" | "removed" = "session") =>
    transition(rows.claimed, { type: "expire", reason }, around(about));
  assert.equal(lose({ profile: fleet }).outcome?.error?.code, "WORKER_OFFLINE");
  assert.equal(lose({ profile: fleet }, "removed").outcome?.error?.code, "WORKER_DELETED");
  assert.equal(lose({ profile: work }).next.state, "pending");
  assert.equal(lose({ profile: work, policy: { onWorkerLost: "fail" } }).outcome?.error?.code, "worker_lost");
  assert.equal(lose({ profile: fleet, policy: { onWorkerLost: "requeue" } }).next.state, "pending");
});

test("a deferred task runs on in nobody's hands until its children close it", () => {
  const deferred = after("running", "defer");
  assert.deepEqual([deferred.next.state, deferred.next.worker], ["running", null]);
  assert.deepEqual(deferred.next.children, { total: 2, done: 0, failed: 0, patience: null });
  assert.equal(deferred.event.worker, workerId(1));
  const one = transition(deferred.next, moves.count, around());
  assert.deepEqual([one.next.state, one.next.children?.done, one.outcome], ["running", 1, null]);
  const two = transition(one.next, moves.count, around());
  assert.deepEqual([two.next.state, two.event.type, two.outcome?.result], ["completed", "task.counted", null]);
});

test("a task that has deferred is judged by what applied then, through every count and until it ends", () => {
  const { timeoutMs, stallMs } = defaultProfiles.amqp as { timeoutMs: number; stallMs: number };
  const deferred = after("running", "defer", { profile: defaultProfiles.amqp });
  assert.deepEqual(deferred.next.children?.patience, { timeoutMs, stallMs });
  assert.equal(deferred.event.data, '{"total":2,"done":0,"failed":0}');
  const late = now + timeoutMs;
  const one = transition(deferred.next, moves.count, around({ now: late }));
  assert.deepEqual([deferred.next.dueAt, one.next.dueAt], [worldStart + timeoutMs, late + stallMs]);
  const { next } = transition(one.next, moves.timeout, around());
  assert.deepEqual(next.children, { total: 2, done: 1, failed: 0, patience: null });
});

test("children that were faster than their parent are counted when it defers", () => {
  const early = transition(rows.claimed, { type: "count", done: 2, failed: 0 }, around());
  assert.deepEqual([early.next.state, early.next.worker], ["claimed", workerId(1)]);
  assert.deepEqual(early.next.children, { total: null, done: 2, failed: 0, patience: null });
  const started = transition(early.next, moves.start, around());
  const { next, event, outcome } = transition(started.next, moves.defer, around());
  assert.deepEqual([next.state, next.worker, outcome?.state], ["completed", null, "completed"]);
  assert.deepEqual([event.type, event.worker], ["task.deferred", workerId(1)]);
});

test("children that were counted stay counted when their parent starts anew", () => {
  const early = transition(rows.running, { type: "count", done: 1, failed: 1 }, around());
  for (const move of [moves.release, moves.expire, moves.fail]) {
    const policy = { retry: { maxAttempts: 9 } };
    const { next } = transition(early.next, move, around({ policy }));
    assert.deepEqual([next.state, next.children], ["pending", { total: null, done: 1, failed: 1, patience: null }]);
  }
});

test("a task that defers with enough counted waits for the children that are open", () => {
  const early = transition(rows.running, { type: "count", done: 2, failed: 0 }, around());
  const waiting = transition(early.next, moves.defer, around({ hasOpenChildren: () => true }));
  assert.deepEqual([waiting.next.state, waiting.next.worker, waiting.outcome], ["running", null, null]);
  const still = transition(waiting.next, moves.count, around({ hasOpenChildren: () => true }));
  assert.deepEqual([still.next.state, still.next.children?.done], ["running", 3]);
  assert.equal(transition(still.next, moves.count, around()).next.state, "completed");
});

test("a parent whose children failed says how many", () => {
  const some = transition(rows.deferred, { type: "count", done: 1, failed: 1 }, around());
  assert.deepEqual(some.outcome?.error?.code, "PartialChildFailure");
  assert.deepEqual(JSON.parse(some.event.data as string), {
    ...{ total: 2, done: 1, failed: 1, error: "1 of 2 children failed", code: "PartialChildFailure" },
    via: "child_failure_aggregate",
  });
});

test("a cancel keeps its reason in the history and its note in the outcome", () => {
  const { outcome, event } = transition(rows.pending, { type: "cancel", reason: "moot", note: "sorry" }, around());
  assert.deepEqual(outcome?.error, { message: "sorry", code: null, details: null });
  assert.deepEqual(JSON.parse(event.data as string), { reason: "moot", error: "sorry" });
});

test("progress is kept and told, and is a sign of life", () => {
  const { next, event } = after("running", "progress");
  assert.deepEqual(next.progress, { current: 1, total: 2, message: "half" });
  assert.deepEqual(JSON.parse(event.data as string), { current: 1, total: 2, message: "half" });
});

test("who asked is recorded when it is worth recording", () => {
  assert.deepEqual(JSON.parse(after("running", "cancel", { actor: "root" }).event.data as string), { actor: "root" });
  assert.equal(after("running", "cancel", { actor: null }).event.data, null);
});

test("every return to pending clears who held it", () => {
  const busy = {
    ...rows.running,
    leasedUntil: now + 9,
    dueAt: now + 9,
    progress: { current: 1, total: 1, message: "" },
  };
  const policy = { retry: { maxAttempts: 9 } };
  for (const type of ["fail", "release", "expire"] as const) {
    const { next } = transition(busy, moves[type], around({ policy }));
    const { worker, claimedAt, startedAt, leasedUntil, dueAt, progress } = next;
    assert.deepEqual(
      [worker, claimedAt, startedAt, leasedUntil, dueAt, progress],
      [null, null, null, null, null, null],
    );
  }
});
