import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { Lane, WorkerRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { settled, type World, world } from "../testing/world.ts";

function waiting(w: World, worker: string, limit = 1, waitMs = 30_000, signal?: AbortSignal) {
  return w.engine.claim({ worker, limit, assign: true, waitMs, ...(signal === undefined ? {} : { signal }) });
}

const isGone = (error: unknown) => error instanceof Problem && error.code === "worker-not-found";

/** Offline at once, but kept. */
function unregister(w: World, worker: string): Promise<void> {
  return w.engine.losing.unregister(w.engine.catalog.worker(worker) as WorkerRecord);
}

test("tasks are handed out by priority, then age, whatever lane they travel in", async () => {
  const w = await world();
  const jobs = [await w.job("@global:modifiers:A"), await w.job("@global:modifiers:B")];
  const worker = await w.worker(jobs);
  const [a, b] = jobs as [string, string];
  const old = await w.submit(a);
  const urgent = await w.submit(b, { priority: 5 });
  const young = await w.submit(b);
  const tasks = await w.claim(worker, 10);
  assert.deepEqual(
    tasks.map(({ card }) => card.id),
    [urgent.card.id, old.card.id, young.card.id],
  );
});

test("a waiting claim wakes when a task is submitted", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const claim = waiting(w, worker);
  await settled();
  const { card } = await w.submit(job);
  assert.equal((await claim)[0]?.card.id, card.id);
});

test("of many waiting workers each task finds exactly one", async () => {
  const w = await world();
  const job = await w.job();
  const workers = await Promise.all(Array.from({ length: 20 }, () => w.worker([job])));
  const claims = workers.map((worker) => waiting(w, worker));
  await settled();
  const tasks = await Promise.all(Array.from({ length: 20 }, () => w.submit(job)));
  const got = (await Promise.all(claims)).flat().map(({ card }) => card.id);
  assert.deepEqual(got.sort(), tasks.map(({ card }) => card.id).sort());
});

test("thirty claims on twenty tasks give twenty tasks and ten empty answers", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  await w.engine.submit(Array.from({ length: 20 }, () => ({ job, room: "@global", payload: "{}" })));
  const answers = await Promise.all(Array.from({ length: 30 }, () => w.claim(worker)));
  assert.equal(new Set(answers.flat().map(({ card }) => card.id)).size, 20);
  assert.equal(answers.filter((tasks) => tasks.length === 0).length, 10);
});

test("a wait that nobody ends is over on time, with nothing", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const claim = waiting(w, worker, 1, 2_000);
  await settled();
  await w.pass(2_000);
  assert.deepEqual(await claim, []);
});

test("an aborted wait ends at once and takes nothing with it", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  const leaving = new AbortController();
  const claim = waiting(w, worker, 1, 30_000, leaving.signal);
  await settled();
  leaving.abort();
  assert.deepEqual(await claim, []);
  const { card } = await w.submit(job);
  assert.equal((await w.claim(worker))[0]?.card.id, card.id);
});

test("a delayed task is handed out when its time has come, to a worker that waits for it", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job, { runAt: w.clock.now() + 5_000 });
  const claim = waiting(w, worker);
  await w.pass(4_900);
  assert.equal((await w.task(card.id)).row.state, "pending");
  await w.pass(200);
  assert.equal((await claim)[0]?.card.id, card.id);
});

test("a worker that registers after the task was submitted gets it", async () => {
  const w = await world();
  const job = await w.job();
  const { card } = await w.submit(job);
  const worker = await w.worker([]);
  const claim = waiting(w, worker);
  await settled();
  await w.engine.workers.change(worker, { jobs: new Map([[job, null]]) });
  await w.pass(1_000);
  assert.equal((await claim)[0]?.card.id, card.id);
});

test("only workers with the status quo of a job are given its tasks", async () => {
  const w = await world();
  const job = await w.job("@global:modifiers:Versioned", {}, { type: "object" });
  const { checksum } = w.engine.catalog.job(job) as { checksum: string };
  const links = (text: string) => ({ profile: "work", owner: null, jobs: new Map([[job, text]]) }) as const;
  const old = await w.engine.workers.register(links("sha256:old"));
  const current = await w.engine.workers.register(links(checksum));
  await w.submit(job);
  assert.equal((await w.claim(old.id)).length, 0);
  assert.equal((await w.claim(current.id)).length, 1);
});

test("labels and queues send a task only where it may go", async () => {
  const w = await world();
  const job = await w.job();
  const plain = await w.worker([job], { queues: ["default"] });
  const gpu = await w.worker([job], { queues: ["gpu"], labels: { card: "a100" } });
  await w.submit(job, { queue: "gpu", labels: { card: "a100" } });
  assert.equal((await w.claim(plain)).length, 0);
  assert.equal((await w.claim(gpu)).length, 1);
});

test("a lane with a limit never runs more than that, and goes on as soon as one ends", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  await w.engine.submit(Array.from({ length: 3 }, () => ({ job, room: "@global", payload: "{}" })));
  const [lane] = [...w.engine.catalog.lanes()] as [Lane];
  await w.engine.lanes.setLimits(lane.id, { paused: false, maxRunning: 1 });
  const [first] = await w.claim(worker, 10);
  assert.equal((await w.claim(worker, 10)).length, 0);
  const next = waiting(w, worker, 10);
  await settled();
  const done = { type: "complete", result: null } as const;
  await w.engine.settle(first?.card.id as string, { worker, attempt: 1 }, done);
  assert.equal((await next).length, 1);
});

test("a paused lane hands out nothing until it is resumed", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job]);
  await w.submit(job);
  const [lane] = [...w.engine.catalog.lanes()] as [Lane];
  await w.engine.lanes.setLimits(lane.id, { paused: true, maxRunning: null });
  assert.equal((await w.claim(worker)).length, 0);
  const claim = waiting(w, worker);
  await settled();
  await w.engine.lanes.setLimits(lane.id, { paused: false, maxRunning: null });
  await w.pass(1_000);
  assert.equal((await claim).length, 1);
});

test("a worker that is given up while it waits is told so", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()]);
  const claim = waiting(w, worker);
  const told = assert.rejects(claim, isGone);
  await settled();
  await w.pass(6_000);
  await told;
});

test("a worker that said goodbye gets no answer but that it is gone, and its wait ends at once", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const told = assert.rejects(waiting(w, worker), isGone);
  await settled();
  await unregister(w, worker);
  await told;
  await w.submit(job);
  await assert.rejects(w.claim(worker), isGone);
  await assert.rejects(waiting(w, worker), isGone);
  await w.engine.workers.revive(worker);
  assert.equal((await w.claim(worker)).length, 1);
});

test("a worker that is gone while the database is asked for it is told so, and others get what there is", async () => {
  let meanwhile: (() => Promise<void>) | null = null;
  const between = (inner: Store): Store => ({
    ...inner,
    async exchange(writes, demands, now) {
      const act = meanwhile;
      meanwhile = null;
      await act?.();
      return inner.exchange(writes, demands, now);
    },
  });
  const w = await world({ between });
  const job = await w.job();
  const [leaving, staying] = [await w.worker([job], { profile: "fleet" }), await w.worker([job])];
  const told = assert.rejects(waiting(w, leaving, 100), isGone);
  await settled();
  const claim = waiting(w, staying);
  await settled();
  meanwhile = () => unregister(w, leaving);
  await w.submit(job);
  await told;
  assert.equal((await claim).length, 1);
});

test("a waiting worker that another server gave up does not keep work from those behind it", async () => {
  const here = await world();
  const there = await world({ clock: here.clock, store: here.store, source: 2 });
  const job = await here.job();
  const [gone, healthy] = [await here.worker([job], { profile: "fleet" }), await here.worker([job])];
  await there.pass(1_000);
  const told = assert.rejects(waiting(here, gone, 100), isGone);
  await settled();
  const claim = waiting(here, healthy);
  await settled();
  await unregister(there, gone);
  await there.submit(job);
  await here.pass(1_000);
  await told;
  assert.equal((await claim).length, 1);
  assert.equal(here.clock.now() - worldStart, 2_000);
});

test("a worker that registered by another server may claim here at once", async () => {
  const here = await world();
  const there = await world({ clock: here.clock, store: here.store, source: 2 });
  const job = await there.job();
  const worker = await there.worker([job]);
  await there.submit(job);
  assert.equal((await here.claim(worker)).length, 1);
});
