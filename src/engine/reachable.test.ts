import assert from "node:assert/strict";
import { test } from "node:test";
import { world } from "../testing/world.ts";

test("an unreachable worker gets nothing, by whatever way it asks, and something again when it beats", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  const { card } = await w.submit(job);
  await w.pass(120_000);
  assert.deepEqual(await w.claim(worker), []);
  assert.deepEqual(await w.engine.claim({ worker, limit: 1, assign: false, waitMs: 60_000 }), []);
  await assert.rejects(w.engine.take(card.id, worker), /unreachable/);
  await w.engine.beat(worker);
  assert.equal((await w.claim(worker)).length, 1);
  await w.stop();
});

test("a claim that waits ends with nothing once its worker is unreachable", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "fleet" });
  await w.pass(100_000);
  const claim = w.engine.claim({ worker, limit: 1, assign: false, waitMs: 60_000 });
  await w.pass(30_000);
  const { card } = await w.submit(job);
  assert.deepEqual(await claim, []);
  assert.equal((await w.task(card.id)).row.state, "pending");
  await w.stop();
});

test("a worker that beats at one server is reachable at the other", async () => {
  const there = await world();
  const here = await world({ store: there.store, clock: there.clock, source: 2 });
  const job = await there.job();
  const worker = await there.worker([job], { profile: "fleet" });
  for (let n = 0; n < 8; n += 1) {
    await here.pass(20_000);
    await there.engine.beat(worker);
  }
  await here.pass(1_250);
  await here.submit(job);
  assert.equal((await here.claim(worker)).length, 1);
  await Promise.all([there.stop(), here.stop()]);
});
