import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import type { Bus } from "../../ports/bus.ts";
import type { Store } from "../../ports/store.ts";
import { anInternalJob, fakeBroker } from "../../testing/fake-broker.ts";
import { type House, house, job, noSchemas } from "../../testing/internal-house.ts";
import { settled, world } from "../../testing/world.ts";
import { executors } from "./executors.ts";

const workerOf = (h: House): string => {
  const [worker] = [...h.engine.catalog.workers()].filter(({ profile }) => profile === "internal");
  return worker?.id as string;
};

test("a task for the server itself is claimed when its submit is answered, then started, then done", async () => {
  const h = await house();
  const { id, state } = await h.ask('{"x":1}');
  assert.equal(state, "claimed");
  assert.deepEqual(
    h.broker.out.map(({ task, payload, room, job }) => [task, payload, room, job]),
    [[id, '{"x":1}', "lab", job]],
  );
  assert.equal(await h.broker.begin(id), true);
  assert.equal((await h.task(id)).row.state, "running");
  h.broker.end(id, { type: "completed", result: '{"y":2}' });
  await settled();
  assert.equal((await h.task(id)).outcome?.result, '{"y":2}');
  assert.deepEqual(await h.history(id), ["submitted", "claimed", "started", "completed"]);
});

test("what does not fit stays pending, in its order, and is taken when a place is free", async () => {
  const h = await house();
  const tasks = [await h.ask(), await h.ask(), await h.ask(), await h.ask()];
  assert.deepEqual(
    tasks.map(({ state }) => state),
    ["claimed", "claimed", "pending", "pending"],
  );
  const [first, , third, fourth] = tasks.map(({ id }) => id) as [string, string, string, string];
  await h.broker.begin(first);
  h.broker.end(first);
  await settled();
  assert.equal((await h.task(third)).row.state, "claimed");
  assert.equal((await h.task(fourth)).row.state, "pending");
});

test("a task that no executor takes has failed, its submit is answered nevertheless, and the place is free", async () => {
  const h = await house();
  h.broker.refuse(true);
  const { id, state } = await h.ask();
  assert.equal(state, "failed");
  assert.equal((await h.task(id)).outcome?.error?.message, "Failed to dispatch to internal executor");
  assert.deepEqual(await h.history(id), ["submitted", "claimed", "failed"]);
  h.broker.refuse(false);
  const states = [(await h.ask()).state, (await h.ask()).state];
  assert.deepEqual(states, ["claimed", "claimed"]);
});

test("a task that was accepted before there was anybody to dispatch it is dispatched at the start", async () => {
  const before = await house();
  await before.inside.stop(0);
  const { id } = await before.submit(job).then(({ card }) => card);
  assert.equal((await before.task(id)).row.state, "pending");
  const after = await house({ store: before.store, clock: before.clock, source: 2 });
  await settled();
  assert.equal((await after.task(id)).row.state, "claimed");
});

test("without anybody who runs it a job is refused, and nothing is kept", async () => {
  const h = await house();
  await h.inside.stop(0);
  await assert.rejects(h.ask(), (error) => error instanceof Problem && error.code === "internal-job-not-configured");
  const { total } = await h.store.read("taskList", { rooms: ["lab"], limit: 10, offset: 0 });
  assert.equal(total, 0);
});

test("a server whose executors are fit for another version of a job is not asked to run it", async () => {
  const h = await house();
  await h.engine.jobs.register({ name: job, schema: { type: "object" }, source: "internal", replace: true });
  await assert.rejects(h.ask(), (error) => error instanceof Problem && error.code === "internal-job-not-configured");
});

test("a job that is there already becomes what its executors say it is", async () => {
  const w = await world();
  await w.engine.jobs.register({ name: job, schema: { old: true }, source: "internal", replace: true });
  const broker = fakeBroker([anInternalJob({ schema: '{"new":true}', policy: { timeoutMs: 5 } })]);
  const inside = executors(w.around, { operations: w.engine, broker, schemas: noSchemas });
  await inside.start();
  assert.deepEqual(
    [w.engine.catalog.job(job)?.spec.schema, w.engine.catalog.job(job)?.spec.policy],
    ['{"new":true}', { timeoutMs: 5 }],
  );
});

test("a cancel reaches the handler, whose end is nobody's business any more", async () => {
  const h = await house();
  const { id } = await h.ask();
  await h.broker.begin(id);
  await h.engine.cancel({ id, actor: "ada" });
  await settled();
  assert.deepEqual(
    h.broker.aborted.map(({ task }) => task),
    [id],
  );
  assert.deepEqual(await h.history(id), ["submitted", "claimed", "started", "cancelled"]);
});

test("a task that was cancelled between its claim and its start does not run", async () => {
  const h = await house({ broker: fakeBroker() });
  const { id } = await h.ask();
  const [assignment] = h.broker.out;
  await h.engine.cancel({ id, actor: "ada" });
  assert.equal(await h.broker.reports.started(assignment as NonNullable<typeof assignment>), false);
});

test("a message that was lost costs time: a task cancelled in silence does not start, and one that runs is stopped soon", async () => {
  const bus: Bus = {
    ...{ start: async () => {}, stop: async () => {}, publish() {}, company() {} },
    ...{ wanted: () => false, subscribe: () => () => {} },
  };
  const h = await house({ bus });
  const [{ id: claimed }, { id: running }] = [await h.ask(), await h.ask()];
  await h.broker.begin(running);
  for (const id of [claimed, running]) await h.engine.cancel({ id, actor: "ada" });
  await settled();
  assert.equal(await h.broker.begin(claimed), false);
  assert.deepEqual(h.broker.aborted, []);
  await h.pass(1_000);
  assert.deepEqual(
    h.broker.aborted.map(({ task }) => task),
    [running],
  );
});

test("an executor that holds a task for too long loses it to the sweep: Internal worker timeout", async () => {
  const internal = { ...defaultProfiles.internal, stuckTaskMs: 60_000 };
  const h = await house({ settings: { profiles: { ...defaultProfiles, internal } } });
  const { id } = await h.ask();
  await h.broker.begin(id);
  await h.pass(59_000);
  assert.equal((await h.task(id)).row.state, "running");
  await h.pass(3_000);
  assert.equal((await h.task(id)).outcome?.error?.message, "Internal worker timeout");
  assert.deepEqual(
    h.broker.aborted.map(({ task }) => task),
    [id],
  );
});

test("no worker claims a task of @internal, neither in turn nor by its id", async () => {
  const h = await house();
  const [, , { id }] = [await h.ask(), await h.ask(), await h.ask()];
  const worker = await h.worker([job]);
  assert.deepEqual(await h.claim(worker, 10), []);
  await assert.rejects(h.engine.take(id, worker), /does not serve/);
});

test("executors that were given up while their handlers ran say nothing that counts, and take tasks again", async () => {
  const h = await house();
  const { id } = await h.ask();
  await h.broker.begin(id);
  const [held] = h.broker.out;
  const lost = h.engine.catalog.worker(workerOf(h));
  await h.engine.losing.remove(lost as NonNullable<typeof lost>);
  await h.pass(2_000);
  assert.deepEqual(
    h.broker.aborted.map(({ task }) => task),
    [id],
  );
  assert.notEqual(workerOf(h), lost?.id);
  const [again] = h.broker.out;
  assert.deepEqual([again?.task, again?.attempt], [id, 2]);
  h.broker.reports.ended(held as NonNullable<typeof held>, { type: "completed", result: '"late"' });
  await h.broker.begin(id);
  h.broker.end(id, { type: "completed", result: '"right"' });
  await settled();
  assert.equal((await h.task(id)).outcome?.result, '"right"');
  assert.deepEqual(await h.history(id), ["submitted", "claimed", "started", "lost", "claimed", "started", "completed"]);
});

test("a server that is gone leaves its tasks to the others, each start of them in the history", async () => {
  const gone = await house({ between: outliving });
  const { id } = await gone.ask();
  await gone.broker.begin(id);
  await gone.stop();
  const there = await house({ store: gone.store, clock: gone.clock, source: 2 });
  await there.pass(25_000);
  assert.equal((await there.task(id)).row.attempt, 2);
  await there.broker.begin(id);
  there.broker.end(id);
  await settled();
  assert.deepEqual(await there.history(id), [
    ...["submitted", "claimed", "started", "lost"],
    ...["claimed", "started", "completed"],
  ]);
});

test("a server that stops waits for its handlers, then hands back what still runs, and none of it counts as lost", async () => {
  const h = await house();
  const [{ id: quick }, { id: slow }] = [await h.ask(), await h.ask()];
  await h.broker.begin(quick);
  await h.broker.begin(slow);
  const stopping = h.inside.stop(5_000);
  await settled();
  h.broker.end(quick, { type: "completed", result: "1" });
  await settled();
  assert.equal((await h.task(quick)).row.state, "completed");
  assert.equal((await h.task(slow)).row.state, "running");
  await h.pass(5_000);
  await stopping;
  const { row } = await h.task(slow);
  assert.deepEqual([row.state, row.losses, row.failures], ["pending", 0, 0]);
  assert.equal(workerOf(h), undefined);
});

test("what cannot be kept as a result is a failure, not a task without an end", async () => {
  const h = await house();
  const { id } = await h.ask();
  await h.broker.begin(id);
  h.broker.end(id, { type: "completed", result: JSON.stringify("x".repeat(2_000_000)) });
  await settled();
  const { outcome } = await h.task(id);
  assert.deepEqual([outcome?.state, outcome?.error?.code], ["failed", "payload-too-large"]);
});

test("an outcome waits for a database that is away, and is written once it is back", async () => {
  let away = false;
  const between = (store: Store): Store => ({
    ...store,
    async exchange(...args) {
      if (away) throw new Problem("store-unavailable", "The database is away");
      return store.exchange(...args);
    },
    async amend(...args) {
      if (away) throw new Problem("store-unavailable", "The database is away");
      return store.amend(...args);
    },
  });
  const h = await house({ between });
  const { id } = await h.ask();
  await h.broker.begin(id);
  away = true;
  h.broker.end(id, { type: "completed", result: "1" });
  await h.pass(3_000);
  assert.equal((await h.task(id)).row.state, "running");
  away = false;
  await h.pass(3_000);
  assert.equal((await h.task(id)).row.state, "completed");
});

/** A store that outlives the engines on it. */
function outliving(store: Store): Store {
  return { ...store, stop: async () => {} };
}
