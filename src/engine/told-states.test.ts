import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, type World, world } from "../testing/world.ts";

const second = 1_000;
const minute = 60 * second;

async function eventsOf(w: World, worker: string): Promise<string[]> {
  const { items } = await w.store.read("workerEvents", { worker, limit: 100, offset: 0 });
  return items.map(({ type }) => type.replace("worker.", ""));
}

async function stateOf(w: World, worker: string) {
  const [record] = await w.store.read("workers", { ids: [worker] });
  return record?.session.told;
}

test("a worker's history says once each time that it fell silent, came back, was given up, and came back again", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()], { profile: "fleet" });
  await w.pass(2 * minute - 500);
  assert.deepEqual(await eventsOf(w, worker), ["registered"]);
  await w.pass(2 * second);
  assert.deepEqual(await eventsOf(w, worker), ["registered", "unreachable"]);
  await w.engine.beat(worker);
  await w.pass(3 * second);
  assert.deepEqual(await eventsOf(w, worker), ["registered", "unreachable", "online"]);
  assert.equal(await stateOf(w, worker), "ONLINE");
  await w.pass(2 * minute);
  await w.pass(4 * minute + second);
  const gone = ["registered", "unreachable", "online", "unreachable", "offline"];
  assert.deepEqual(await eventsOf(w, worker), gone);
  await w.engine.workers.revive(worker);
  await w.pass(5 * second);
  assert.deepEqual(await eventsOf(w, worker), [...gone, "online"]);
  await w.stop();
});

test("two servers on one database tell of it once", async () => {
  const a = await world();
  const b = await world({ store: a.store, bus: a.bus, clock: a.clock, source: 2 });
  const worker = await a.worker([await a.job()], { profile: "fleet" });
  await a.pass(2 * minute + 2 * second);
  await Promise.all([a.engine.sweeper.tick(), b.engine.sweeper.tick()]);
  assert.deepEqual(await eventsOf(a, worker), ["registered", "unreachable"]);
  await b.engine.beat(worker);
  await a.pass(3 * second);
  await Promise.all([a.engine.sweeper.tick(), b.engine.sweeper.tick()]);
  assert.deepEqual(await eventsOf(a, worker), ["registered", "unreachable", "online"]);
  await a.stop();
});

test("a worker that beats in time is never said to be unreachable, however seldom its beats are written", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()], { profile: "fleet" });
  for (let round = 0; round < 30; round += 1) {
    await w.engine.beat(worker);
    await w.pass(20 * second);
  }
  assert.deepEqual(await eventsOf(w, worker), ["registered"]);
  await w.stop();
});

test("workers whose profile knows nothing between online and lost cost no look and get no line", async () => {
  const found: string[] = [];
  const w = await world({
    between: (store) => ({
      ...store,
      async find(kind, query) {
        const answer = await store.find(kind, query);
        if (kind === "untold") found.push(...(answer as readonly string[]));
        return answer;
      },
    }),
  });
  const worker = await w.worker([await w.job()], { profile: "amqp" });
  await w.pass(119 * second);
  assert.deepEqual(await eventsOf(w, worker), ["registered"]);
  await w.pass(2 * second);
  assert.deepEqual(await eventsOf(w, worker), ["registered", "offline"]);
  assert.deepEqual(found, []);
  await w.stop();
});

test("after the server was away nobody is said to be unreachable before one full time of silence", async () => {
  const w = await world();
  const worker = await w.worker([await w.job()], { profile: "fleet" });
  await w.pass(10 * second);
  w.clock.advance(3 * minute);
  await settled();
  await w.pass(minute);
  assert.deepEqual(await eventsOf(w, worker), ["registered"]);
  await w.pass(minute + 2 * second);
  assert.deepEqual(await eventsOf(w, worker), ["registered", "unreachable"]);
  await w.stop();
});

test("what happens to a worker is told to those who watch the rooms it serves, before and after it is gone", async () => {
  const w = await world();
  const heard: string[] = [];
  w.bus.subscribe("room:lab", (message) => heard.push(message));
  const job = await w.job("lab:modifiers:Rotate");
  await w.job("annex:modifiers:Rotate");
  const worker = await w.worker([job]);
  await w.worker(["annex:modifiers:Rotate"]);
  const record = w.engine.catalog.worker(worker);
  assert.ok(record !== undefined);
  await w.engine.losing.remove(record);
  const told = heard.map((text) => JSON.parse(text)).filter(([event]) => event === "worker_event");
  assert.deepEqual(
    told.map(([, { worker_id, type, data }]) => [worker_id, type, data]),
    [
      [worker, "worker.registered", { by: "someone" }],
      [worker, "worker.unregistered", { by: "someone" }],
      [worker, "worker.deleted", null],
    ],
  );
  await w.stop();
});
