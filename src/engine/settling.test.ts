import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { ClaimedTask, OpenTask } from "../ports/records.ts";
import { type World, world } from "../testing/world.ts";

const failure = { message: "no luck", code: "Unlucky", details: null };

function holder(task: ClaimedTask): { worker: string; attempt: number } {
  return { worker: task.row.worker as string, attempt: task.row.attempt };
}

async function claimOne(w: World, worker: string, assign = true): Promise<ClaimedTask> {
  const [task] = await w.claim(worker, 1, assign);
  assert.ok(task !== undefined, "there was nothing to claim");
  return task;
}

function refusedWith(code: string) {
  return (error: unknown) => error instanceof Problem && error.code === code;
}

test("a task goes from submit to completed, and its history says so", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job, { payload: '{"angle":90}' });
  const task = await claimOne(w, worker, false);
  assert.equal(task.payload, '{"angle":90}');
  await w.engine.settle(card.id, holder(task), { type: "start" });
  await w.engine.settle(card.id, holder(task), { type: "complete", result: '{"ok":true}' });
  const done = await w.task(card.id);
  assert.equal(done.row.state, "completed");
  assert.equal(done.outcome?.result, '{"ok":true}');
  assert.deepEqual(await w.history(card.id), ["submitted", "claimed", "started", "completed"]);
});

test("moves of one task that arrive together are one write with one event each", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const task = await claimOne(w, worker, false);
  await Promise.all([
    w.engine.settle(card.id, holder(task), { type: "start" }),
    w.engine.settle(card.id, holder(task), { type: "complete", result: null }),
  ]);
  assert.deepEqual(await w.history(card.id), ["submitted", "claimed", "started", "completed"]);
});

test("a second result is refused, stands in the history, and changes nothing", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const task = await claimOne(w, worker);
  await w.engine.settle(card.id, holder(task), { type: "complete", result: "1" });
  await assert.rejects(
    w.engine.settle(card.id, holder(task), { type: "complete", result: "2" }),
    refusedWith("invalid-task-transition"),
  );
  assert.equal((await w.task(card.id)).outcome?.result, "1");
  const { refusals } = await w.store.read("events", { task: card.id, limit: 10, offset: 0 });
  assert.equal(refusals.length, 1);
});

test("the result of a lost attempt is refused while another worker has the task", async () => {
  const w = await world();
  const job = await w.job();
  const [slow, quick] = [await w.worker([job]), await w.worker([job])];
  const { card } = await w.submit(job);
  const first = await claimOne(w, slow);
  await w.engine.losing.remove(w.engine.catalog.worker(slow) as never);
  const second = await claimOne(w, quick);
  assert.equal(second.row.attempt, 2);
  await assert.rejects(
    w.engine.settle(card.id, holder(first), { type: "complete", result: "old" }),
    refusedWith("lease-lost"),
  );
  await w.engine.settle(card.id, holder(second), { type: "complete", result: "new" });
  assert.equal((await w.task(card.id)).outcome?.result, "new");
});

test("a failed task is tried again later as its policy says, then fails for good", async () => {
  const w = await world();
  const job = await w.job("@global:modifiers:Flaky", { retry: { maxAttempts: 2, baseMs: 1_000 } });
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const first = await claimOne(w, worker);
  await w.engine.settle(card.id, holder(first), { type: "fail", error: failure });
  assert.equal((await w.claim(worker)).length, 0, "it must wait for its time");
  await w.pass(1_100);
  const second = await claimOne(w, worker);
  await w.engine.settle(card.id, holder(second), { type: "fail", error: failure });
  const done = await w.task(card.id);
  assert.equal(done.row.state, "failed");
  assert.equal(done.outcome?.error?.code, "Unlucky");
  assert.equal(done.row.failures, 2);
});

test("a released task costs no failure and hands its checkpoint to the next attempt", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const first = await claimOne(w, worker);
  await w.engine.settle(card.id, holder(first), { type: "release", reason: "drain", checkpoint: '{"page":3}' });
  const second = await claimOne(w, worker);
  assert.equal(second.row.checkpoint, '{"page":3}');
  assert.equal(second.row.failures + second.row.losses, 0);
});

test("progress is written at most once a second, and its newest word is kept", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const task = await claimOne(w, worker);
  const fence = { holder: holder(task) };
  for (let current = 1; current <= 5; current += 1) {
    await w.engine.progress(card.id, fence, { current, total: 5, message: null });
  }
  assert.equal((await w.history(card.id)).filter((type) => type === "progressed").length, 1);
  await w.pass(1_000);
  assert.equal((await w.history(card.id)).filter((type) => type === "progressed").length, 2);
  assert.equal((await w.task(card.id)).row.progress?.current, 5);
  await w.engine.settle(card.id, holder(task), { type: "complete", result: null });
});

test("a move without a copy in hand is decided on what the store says", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  const task = await claimOne(w, worker);
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  await other.engine.settle(card.id, holder(task), { type: "complete", result: null });
  assert.equal((await w.task(card.id)).row.state, "completed");
  await assert.rejects(
    w.engine.settle(card.id, holder(task), { type: "fail", error: failure }),
    refusedWith("invalid-task-transition"),
  );
});

test("an unknown task is not found", async () => {
  const w = await world();
  await assert.rejects(
    w.engine.settle("00000000-0000-7000-8000-000000000000", { worker: "w", attempt: 1 }, { type: "start" }),
    refusedWith("task-not-found"),
  );
});

test("lease tokens belong to one attempt of one task by one worker", async () => {
  const w = await world();
  const token = w.engine.leaseToken("t", { worker: "a", attempt: 1 });
  assert.ok(w.engine.isLeaseToken("t", { worker: "a", attempt: 1 }, token));
  assert.ok(!w.engine.isLeaseToken("t", { worker: "a", attempt: 2 }, token));
  assert.ok(!w.engine.isLeaseToken("t", { worker: "b", attempt: 1 }, token));
  assert.ok(!w.engine.isLeaseToken("t", { worker: "a", attempt: 1 }, ""));
});

/** Two servers that do not hear each other; a worker of the first holds a task, and the second knows nothing of it. */
async function strangers(assign: boolean) {
  const first = await world();
  const second = await world({ store: first.store, clock: first.clock, source: 2 });
  const job = await first.job();
  const worker = await first.worker([job], { profile: "fleet" });
  await first.submit(job);
  const task = await claimOne(first, worker, assign);
  assert.equal(second.engine.catalog.worker(worker), undefined);
  return { second, task };
}

test("a move by way of a server that has not heard of the worker keeps the task's deadline", async () => {
  const { second, task } = await strangers(false);
  await second.engine.settle(task.card.id, holder(task), { type: "start" });
  assert.equal((await second.task(task.card.id)).row.dueAt, second.clock.now() + 12 * 60_000);
});

test("a leader that has not heard of the worker judges its tasks by the worker's profile", async () => {
  const { second, task } = await strangers(true);
  const soon = second.clock.now();
  await second.store.amend({ tasks: [task.card.id] }, (view) => {
    const { row } = view.tasks.get(task.card.id) as OpenTask;
    const next = { ...row, dueAt: soon };
    return { answer: null, tasks: [{ expected: row.version, next, outcome: null, events: [] }] };
  });
  await second.engine.sweeper.tick();
  assert.equal((await second.task(task.card.id)).row.dueAt, soon + 12 * 60_000);
});
