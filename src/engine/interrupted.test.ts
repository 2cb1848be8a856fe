import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import type { Store } from "../ports/store.ts";
import { world } from "../testing/world.ts";

test("a loss that is cut short after the fence is finished a second later", async () => {
  let refusals = 0;
  const between = (store: Store): Store => ({
    ...store,
    amend: async (scope, decide) => {
      if (scope.heldBy === undefined || refusals === 0) return store.amend(scope, decide);
      refusals -= 1;
      throw new Problem("store-unavailable", "The database is away");
    },
  });
  const w = await world({ between });
  const job = await w.job();
  await w.pass(45_500);
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await w.pass(30_000);
  await w.engine.beat(worker);
  await w.pass(30_000);
  // Its loss wakes the sweep; the nets have looked and rest when the other's time has come.
  await w.worker([job], { profile: "work" });
  await w.pass(20_000);
  refusals = 1;
  await w.pass(9_000);
  assert.equal((await w.task(card.id)).row.state, "running");
  await w.pass(3_000);
  assert.equal(refusals, 0);
  assert.equal((await w.task(card.id)).outcome?.error?.message, "Worker disconnected");
});

test("one worker's loss that fails does not hold up the others'", async () => {
  let refused = "";
  const between = (store: Store): Store => ({
    ...store,
    amend: async (scope, decide) => {
      if (scope.heldBy?.includes(refused)) throw new Problem("store-unavailable", "The database is away");
      return store.amend(scope, decide);
    },
  });
  const w = await world({ between });
  const job = await w.job();
  const [stuck, other] = [await w.worker([job], { id: "a" }), await w.worker([job], { id: "b" })];
  const tasks = [await w.submit(job), await w.submit(job)];
  for (const worker of [stuck, other]) await w.claim(worker);
  refused = stuck;
  await w.pass(6_500);
  const states = await Promise.all(tasks.map(async ({ card }) => (await w.task(card.id)).row.state));
  assert.deepEqual(states, ["running", "pending"]);
  refused = "";
  await w.pass(2_000);
  assert.equal((await w.task(tasks[0]?.card.id as string)).row.state, "pending");
});

test("a hundred silent workers that still enjoy a server's grace do not hide one that is lost", async () => {
  const before = await world();
  const job = await before.job();
  for (let n = 100; n < 200; n += 1) await before.worker([job], { id: `a${n}`, profile: "fleet" });
  await before.stop();
  before.clock.advance(10 * 60_000);
  const after = await world({ store: before.store, clock: before.clock, source: 2 });
  const worker = await after.worker([job], { id: "z" });
  const { card } = await after.submit(job);
  await after.claim(worker);
  await after.pass(6_500);
  assert.equal((await after.task(card.id)).row.state, "pending");
});

test("a leader whose pulse hangs sweeps no more once its lease is over, and another does", async () => {
  let hangs = false;
  let looks = 0;
  const between = (store: Store): Store => ({
    ...store,
    pulse: (node) => (hangs ? new Promise<never>(() => {}) : store.pulse(node)),
    find: (kind, query) => {
      if (kind === "due") looks += 1;
      return store.find(kind, query);
    },
  });
  const hung = await world({ between });
  const other = await world({ store: hung.store, clock: hung.clock, source: 2 });
  const job = await hung.job();
  const worker = await hung.worker([job], { profile: "amqp" });
  const { card } = await hung.submit(job);
  await hung.claim(worker);
  hangs = true;
  await other.pass(5_000);
  looks = 0;
  for (let left = 125_000; left > 0; left -= 25_000) {
    await other.engine.beat(worker);
    await other.pass(25_000);
  }
  assert.equal((await other.task(card.id)).row.state, "pending", "its lease was over");
  assert.equal(looks, 0);
  await other.stop();
});
