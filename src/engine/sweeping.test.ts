import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { ClaimedTask } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { aToken } from "../testing/builders.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { settled, type World, world } from "../testing/world.ts";

const minute = 60_000;

async function claimOne(w: World, worker: string, assign = true): Promise<ClaimedTask> {
  const [task] = await w.claim(worker, 1, assign);
  assert.ok(task !== undefined, "there was nothing to claim");
  return task;
}

/** Lets time pass while the workers go on beating. */
async function beating(w: World, workers: readonly string[], ms: number, everyMs = 1_000): Promise<void> {
  for (let left = ms; left > 0; left -= everyMs) {
    for (const worker of workers) await w.engine.beat(worker);
    await w.pass(Math.min(everyMs, left));
  }
}

test("a task whose worker went silent runs again, on another worker, within a second of the window", async () => {
  const w = await world();
  const job = await w.job();
  const [dying, living] = [await w.worker([job]), await w.worker([job])];
  const { card } = await w.submit(job);
  await claimOne(w, dying);
  await beating(w, [living], 4_000);
  assert.equal((await w.task(card.id)).row.state, "running");
  await beating(w, [living], 2_000);
  const again = await claimOne(w, living);
  assert.equal(again.card.id, card.id);
  assert.equal(again.row.losses, 1);
  assert.deepEqual(await w.history(card.id), ["submitted", "assigned", "lost", "assigned"]);
});

test("a task that was lost too often fails with its profile's code", async () => {
  const w = await world();
  const job = await w.job("@global:modifiers:Heavy", { maxRequeues: 1 });
  const { card } = await w.submit(job);
  for (let round = 0; round < 2; round += 1) {
    const worker = await w.worker([job]);
    await claimOne(w, worker);
    await w.pass(6_500);
  }
  const task = await w.task(card.id);
  assert.equal(task.row.state, "failed");
  assert.deepEqual(task.outcome?.error, { message: "Worker disconnected", code: "worker_lost", details: null });
});

test("a worker of the rest profile that is lost takes its task with it, and is gone", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await claimOne(w, worker, false);
  await w.pass(61_000);
  assert.equal((await w.task(card.id)).outcome?.error?.message, "Worker disconnected");
  assert.equal(w.engine.catalog.worker(worker), undefined);
  await assert.rejects(w.engine.beat(worker), (error: unknown) => error instanceof Problem);
});

test("beats keep a worker, however seldom they are written", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const { card } = await w.submit(job);
  await claimOne(w, worker);
  await beating(w, [worker], 30_000);
  assert.equal((await w.task(card.id)).row.state, "running");
});

test("after the server was away nobody is given up before one full window", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  await w.submit(job);
  await claimOne(w, worker);
  w.clock.advance(60_000);
  await w.pass(1_000);
  assert.notEqual(w.engine.catalog.worker(worker), undefined);
  await w.pass(6_500);
  assert.equal(w.engine.catalog.worker(worker), undefined);
});

test("a claim that is never started goes back and costs nothing", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await claimOne(w, worker, false);
  await beating(w, [worker], 5 * minute + 1_000, 20_000);
  const { row } = await w.task(card.id);
  assert.equal(row.state, "pending");
  assert.equal(row.losses + row.failures, 0);
  assert.equal((await w.history(card.id)).at(-1), "released");
});

test("a task that runs too long and says nothing times out; one that speaks goes on", async () => {
  const w = await world();
  const job = await w.job("@global:modifiers:Long", { timeoutMs: 10_000, stallMs: 5_000 });
  const worker = await w.worker([job]);
  const [silent, talking] = [await w.submit(job), await w.submit(job)];
  await w.claim(worker, 2);
  for (let second = 0; second < 14; second += 1) {
    const fence = { holder: { worker, attempt: 1 } };
    await w.engine.progress(talking.card.id, fence, { current: second, total: null, message: null });
    await beating(w, [worker], 1_000);
  }
  assert.equal((await w.task(silent.card.id)).outcome?.error?.code, "JobTimeout");
  assert.equal((await w.task(talking.card.id)).row.state, "running");
});

test("a task held longer than its fleet allows fails even if its worker beats", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const { card } = await w.submit(job);
  await claimOne(w, worker, false);
  await beating(w, [worker], 12 * minute + 1_000, 30_000);
  assert.equal((await w.task(card.id)).outcome?.error?.code, "STUCK_JOB_TIMEOUT");
});

test("a task with a lease of its own is lost when the lease ends, and kept when it is extended", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp" });
  const [left, kept] = [await w.submit(job), await w.submit(job)];
  await w.claim(worker, 2);
  await beating(w, [worker], 100_000, 10_000);
  await w.engine.extend(kept.card.id, { worker, attempt: 1 }, 120_000);
  await beating(w, [worker], 30_000, 10_000);
  assert.equal((await w.task(left.card.id)).row.state, "pending");
  assert.equal((await w.task(kept.card.id)).row.state, "running");
});

test("a fleet worker is kept offline for a day, then removed", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  await w.engine.losing.unregister(w.engine.catalog.worker(worker) as never);
  assert.notEqual(w.engine.catalog.worker(worker)?.session.lostAt, null);
  w.clock.advance(24 * 60 * minute);
  await w.engine.sweeper.tick();
  assert.equal(w.engine.catalog.worker(worker), undefined);
});

test("however many workers have been offline for a day, all of them are removed at their time", async () => {
  const w = await world();
  const job = await w.job();
  const ids = await Promise.all(Array.from({ length: 250 }, () => w.worker([job], { profile: "fleet" })));
  await Promise.all(ids.map((id) => w.engine.losing.unregister(w.engine.catalog.worker(id) as never)));
  w.clock.advance(24 * 60 * minute);
  assert.equal((await w.engine.sweeper.tick())["removed"], ids.length);
  assert.equal([...w.engine.catalog.workers()].filter(({ profile }) => profile === "fleet").length, 0);
});

test("one that is heard in the last moment keeps no other from being noticed", async () => {
  const clock = manualClock();
  let saved = 0;
  const between = (store: Store): Store => ({
    ...store,
    async find(kind, query) {
      const found = await store.find(kind, query);
      const [first] = found as readonly string[];
      if (kind !== "lost" || first === undefined || saved > 0) return found;
      saved += 1;
      await store.beat([{ worker: first, at: clock.now() }]);
      return found;
    },
  });
  const w = await world({ between, clock });
  const job = await w.job();
  for (let n = 0; n < 250; n += 1) await w.worker([job]);
  await w.pass(5_000);
  await settled(2_000);
  const { lost = 0 } = w.engine.sweeper.record().moved;
  assert.deepEqual([saved, lost], [1, 249]);
});

test("a job goes with its last worker, unless a task still waits for it", async () => {
  const w = await world();
  const request = { schema: {}, source: "worker", replace: false } as const;
  const owned = { id: null, owner: "someone" };
  const idle = await w.engine.jobs.register({ ...request, name: "room:modifiers:Idle", worker: owned });
  const busy = await w.engine.jobs.register({ ...request, name: "room:modifiers:Busy", worker: owned });
  await w.submit("room:modifiers:Busy");
  for (const { worker } of [idle, busy]) await w.engine.losing.remove(worker as never);
  assert.equal(w.engine.catalog.job("room:modifiers:Idle")?.deleted, true);
  assert.equal(w.engine.catalog.job("room:modifiers:Busy")?.deleted, false);
  const back = await w.engine.jobs.register({ ...request, name: "room:modifiers:Idle", worker: owned });
  assert.equal(back.created, true);
  assert.equal(back.job.id, idle.job.id);
});

test("retention removes what ended long ago, and nothing else", async () => {
  const w = await world({ settings: { retentionMs: 60_000 } });
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const [old, open] = [await w.submit(job), await w.submit(job)];
  const task = await claimOne(w, worker);
  await w.engine.settle(task.card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  w.clock.advance(61_000);
  await w.engine.sweeper.tick();
  assert.deepEqual(await w.store.read("tasks", { ids: [old.card.id] }), []);
  assert.equal((await w.task(open.card.id)).row.state, "pending");
});

test("a session goes a day after its end, also where tasks are kept for good", async () => {
  const w = await world({ settings: { retentionMs: null } });
  const session = aToken({ kind: "session", expiresAt: w.clock.now() });
  await w.store.amend({}, () => ({ answer: null, tokens: [session, aToken({ id: "t2", hash: "2".repeat(64) })] }));
  const left = async () => (await w.store.read("tokens", { limit: 10, offset: 0 })).items.map(({ id }) => id);
  w.clock.advance(24 * 3_600_000);
  await w.engine.sweeper.tick();
  assert.deepEqual(await left(), ["t1", "t2"]);
  w.clock.advance(3_600_000);
  await w.engine.sweeper.tick();
  assert.deepEqual(await left(), ["t2"]);
});

test("a coordinator that waits in vain times out by the profile of the worker that deferred it", async () => {
  const profiles = { ...defaultProfiles, amqp: { ...defaultProfiles.amqp, timeoutMs: 20_000, stallMs: 5_000 } };
  const w = await world({ settings: { profiles } });
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  const child = await w.submit(job, { parent: card.id });
  await w.engine.settle(card.id, { worker, attempt: 1 }, { type: "defer", total: 2 });
  await w.pass(18_000);
  await w.claim(worker);
  await w.engine.settle(child.card.id, { worker, attempt: 1 }, { type: "complete", result: null });
  await w.pass(4_750);
  assert.equal((await w.task(card.id)).row.state, "running", "its child spoke not long ago");
  await w.pass(1_000);
  const { outcome } = await w.task(card.id);
  assert.deepEqual([outcome?.state, outcome?.error?.code], ["failed", "JobTimeout"]);
});

test("after a server was away, nobody who could not speak meanwhile is given up before his time", async () => {
  const first = await world();
  const job = await first.job();
  const worker = await first.worker([job], { profile: "amqp" });
  const [coordinator, long] = [await first.submit(job), await first.submit(job)];
  await first.claim(worker, 2);
  await first.engine.settle(coordinator.card.id, { worker, attempt: 1 }, { type: "defer", total: 9 });
  const states = async (w: World) =>
    Promise.all([coordinator, long].map(async ({ card }) => (await w.task(card.id)).row.state));

  // Seven hours later, and half an hour after the server heard of anybody.
  const clock = manualClock(first.clock.now() + 7 * 60 * minute);
  const second = await world({ store: first.store, clock, source: 2 });
  await second.pass(minute);
  assert.deepEqual(await states(second), ["running", "running"]);
  await second.pass(minute + 2_000);
  assert.deepEqual(await states(second), ["running", "pending"], "the lease was not extended");
  await second.pass(27 * minute);
  assert.deepEqual(await states(second), ["running", "pending"]);
  await second.pass(2 * minute);
  assert.deepEqual(await states(second), ["failed", "pending"], "nothing was counted");
});
