// What comes from outside and cannot be meant is refused by name, before anything is written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { ClaimedTask } from "../ports/records.ts";
import { world } from "../testing/world.ts";

const bad = [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300];

function naming(pointer: string) {
  return (error: unknown) => error instanceof Problem && error.status === 422 && error.errors[0]?.pointer === pointer;
}

async function oneClaimed() {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  await w.submit(job);
  const [task] = (await w.claim(worker)) as [ClaimedTask];
  return { w, job, worker, id: task.card.id, holder: { worker, attempt: task.row.attempt } };
}

test("a holder's numbers are refused by name, and the task stays as it is", async () => {
  const { w, id, holder } = await oneClaimed();
  const before = await w.task(id);
  const fence = { holder };
  for (const n of bad) {
    const settle = (move: Parameters<typeof w.engine.settle>[2]) => w.engine.settle(id, holder, move);
    const progress = { current: n, total: null, message: null };
    await assert.rejects(settle({ type: "release", reason: "x", delayMs: n }), naming("/delayMs"));
    await assert.rejects(settle({ type: "defer", total: n }), naming("/total"));
    await assert.rejects(w.engine.progress(id, fence, progress), naming("/current"));
    await assert.rejects(w.engine.override(id, null, { type: "progress", progress }), naming("/current"));
    await assert.rejects(w.engine.extend(id, holder, n), naming("/leaseMs"));
    const unheard = { ...holder, attempt: n };
    await assert.rejects(w.engine.settle(id, unheard, { type: "complete", result: null }), naming("/attempt"));
  }
  assert.deepEqual(await w.task(id), before);
  const { refusals } = await w.store.read("events", { task: id, limit: 9, offset: 0 });
  assert.deepEqual(refusals, [], "what cannot be an attempt is no late result");
});

test("what a worker asks for is refused by name", async () => {
  const { w, id, worker } = await oneClaimed();
  const request = { worker, limit: 1, waitMs: 0, assign: true };
  for (const n of bad) {
    await assert.rejects(w.engine.claim({ ...request, limit: n }), naming("/limit"));
    await assert.rejects(w.engine.claim({ ...request, waitMs: n }), naming("/waitMs"));
    await assert.rejects(w.engine.waits.untilFinal(id, n), naming("/waitMs"));
    const line = { task: id, attempt: n, at: w.clock.now(), level: "info", message: "hello" };
    await assert.rejects(w.engine.records.log([line]), naming("/attempt"));
  }
  await assert.rejects(w.engine.claim({ ...request, limit: 0 }), naming("/limit"));
});

test("a lane's limit is a count, and the lane must exist", async () => {
  const { w } = await oneClaimed();
  const [lane] = [...w.engine.catalog.lanes()];
  assert.ok(lane !== undefined);
  for (const maxRunning of bad) {
    await assert.rejects(w.engine.lanes.setLimits(lane.id, { paused: false, maxRunning }), naming("/maxRunning"));
  }
  for (const id of [lane.id + 1, 0.5, Number.NaN]) {
    const setting = w.engine.lanes.setLimits(id, { paused: true, maxRunning: null });
    await assert.rejects(setting, (error: unknown) => error instanceof Problem && error.code === "not-found");
  }
});

test("a task's relatives are named by their ids, and its times can be kept", async () => {
  const { w, job } = await oneClaimed();
  for (const [pointer, request] of [
    ["/parent_id", { parent: "not-a-uuid" }],
    ["/retry_of", { retryOf: ',1,,)","(0,' }],
    ["/run_at", { runAt: 1e15 }],
    ["/policy/timeoutMs", { policy: { timeoutMs: 9e15 } }],
    ["/policy/retry/capMs", { policy: { retry: { capMs: 9e15 } } }],
    ["/policy/maxRequeues", { policy: { maxRequeues: 2 ** 31 } }],
  ] as const) {
    await assert.rejects(w.submit(job, request), naming(pointer), pointer);
  }
  const key = { scope: "s", key: "k".repeat(3_000), bodyHash: "h" };
  await assert.rejects(w.engine.submit([], { key }), naming("/idempotency_key"));
  assert.equal((await w.store.read("taskList", { limit: 0, offset: 0 })).total, 1);
});
