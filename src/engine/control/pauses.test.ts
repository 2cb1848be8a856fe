import assert from "node:assert/strict";
import { test } from "node:test";
import type { Principal } from "../../core/access.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import { type World, world } from "../../testing/world.ts";
import { agenda } from "./agenda.ts";

const admin: Principal = { user: "root", token: "t-1", role: "admin", rooms: null, jobs: null };
const by = { who: admin, note: "the disk is full" };
const minute = 60_000;

const record = async (w: World, id: string): Promise<WorkerRecord> => {
  const [worker] = await w.store.read("workers", { ids: [id] });
  return worker as WorkerRecord;
};
const commandsOf = async (w: World, worker: string) =>
  (await w.store.read("commands", { worker, limit: 100, offset: 0 })).items;
const eventsOf = async (w: World, worker: string) =>
  (await w.store.read("workerEvents", { worker, limit: 100, offset: 0 })).items.map(({ type }) => type);
const auditOf = async (w: World) =>
  (await w.store.read("audit", { limit: 100, offset: 0 })).items.map(({ action }) => action);

/** Lets time pass while the workers go on beating. */
async function beating(w: World, workers: readonly string[], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    for (const worker of workers) await w.engine.beat(worker);
    await w.pass(Math.min(1_000, left));
  }
}

test("a pause with an end is over at its time, and is written so", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  const queued = await w.worker([name]);
  const until = w.clock.now() + minute;
  await w.engine.control.pauseWorker(by, worker, until);
  await w.engine.control.pause(by, "queue", "default", until + minute);
  await w.submit(name);
  await beating(w, [worker, queued], minute - 1_000);
  assert.equal(w.engine.catalog.pause("worker", worker)?.until, until);
  await beating(w, [worker, queued], 2_000);
  assert.equal(w.engine.catalog.pause("worker", worker), undefined);
  assert.deepEqual((await eventsOf(w, worker)).slice(1), ["worker.paused", "worker.resumed"]);
  assert.deepEqual(await w.claim(worker), [], "its queue is still paused");
  await beating(w, [worker, queued], minute);
  assert.equal((await w.claim(worker)).length, 1);
});

test("the end of a pause is written once, however many servers see its time come", async () => {
  const w = await world();
  const { store, clock } = w;
  const worker = await w.worker([await w.job()]);
  const other = await world({ store, clock, source: 2 });
  const agendas = [w, other].map(({ around, engine }) => agenda(around, engine));
  await w.engine.control.pauseWorker(by, worker, clock.now() + 100);
  await other.engine.catalog.refresh();
  clock.advance(200);
  const ended = await Promise.all(agendas.map((each) => each.run(clock.now())));
  assert.ok(ended.every((count) => count <= 1));
  assert.deepEqual((await eventsOf(w, worker)).slice(1), ["worker.paused", "worker.resumed"]);
  assert.equal(w.engine.catalog.pause("worker", worker), undefined);
  await other.stop();
});

test("nothing of a paused job is given out, nor of a paused queue, until they are resumed", async () => {
  const w = await world();
  const name = await w.job();
  const worker = await w.worker([name]);
  await w.submit(name);
  await w.engine.control.pause(by, "job", name, null);
  assert.deepEqual(await w.claim(worker), []);
  await w.engine.control.pause(by, "queue", "default", null);
  assert.equal((await w.engine.control.resume(by, "job", name))?.name, name);
  assert.equal(await w.engine.control.resume(by, "job", name), null);
  assert.deepEqual(await w.claim(worker), []);
  await w.engine.control.resume(by, "queue", "default");
  assert.equal((await w.claim(worker)).length, 1);
  const actions = (await auditOf(w)).reverse();
  assert.deepEqual(actions, ["job.pause", "queue.pause", "job.resume", "queue.resume"]);
});

test("a resume of what is neither paused nor drains writes nothing", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()]);
  const before = await record(w, worker);
  assert.deepEqual(await w.engine.control.resumeWorker(by, worker), before);
  assert.deepEqual(await record(w, worker), before);
  assert.equal(await w.engine.control.resume(by, "queue", "default"), null);
  assert.deepEqual([await commandsOf(w, worker), await auditOf(w)], [[], []]);
  assert.deepEqual((await eventsOf(w, worker)).slice(1), []);
});

test("a resume ends the pause that stands by then, and says so only where it did", async () => {
  let meanwhile = async (): Promise<unknown> => null;
  const w = await world({
    between: (inner) => ({
      ...inner,
      async amend(scope, decide) {
        const act = meanwhile;
        meanwhile = async () => null;
        await act();
        return inner.amend(scope, decide);
      },
    }),
  });
  const other = await world({ store: w.store, clock: w.clock, source: 2 });
  const worker = await w.worker([await w.job()]);
  await w.engine.control.pauseWorker(by, worker, null);
  w.clock.advance(5);
  meanwhile = () => other.engine.control.pauseWorker({ who: admin, note: "anew" }, worker, null);
  await w.engine.control.resumeWorker(by, worker);
  assert.equal(w.engine.catalog.pause("worker", worker), undefined);
  assert.deepEqual((await eventsOf(w, worker)).slice(1), ["worker.paused", "worker.paused", "worker.resumed"]);

  await w.engine.control.pauseWorker(by, worker, null);
  meanwhile = () => other.engine.control.resumeWorker(by, worker);
  await w.engine.control.resumeWorker(by, worker);
  assert.deepEqual((await eventsOf(w, worker)).slice(4), ["worker.paused", "worker.resumed"]);
  assert.equal((await auditOf(w)).length, 5);
});
