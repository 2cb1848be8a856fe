import assert from "node:assert/strict";
import { test } from "node:test";
import { type World, world } from "../testing/world.ts";

const policy = { timeoutMs: 60_000, stallMs: 30_000 };

async function running(w: World): Promise<{ id: string; worker: string }> {
  const job = await w.job("@global:modifiers:Slow", policy);
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  return { id: card.id, worker };
}

async function passing(w: World, worker: string, seconds: number, each: () => Promise<void>): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 10) {
    await w.engine.beat(worker);
    await each();
    await w.pass(10_000);
  }
}

test("a task that tells what happens is spared by its timeout, and one that falls silent is not", async () => {
  const w = await world();
  const { id, worker } = await running(w);
  await passing(w, worker, 110, () => w.engine.heardOf(id));
  assert.equal((await w.task(id)).row.state, "running");
  await passing(w, worker, 50, async () => {});
  const { outcome } = await w.task(id);
  assert.equal(outcome?.error?.code, "JobTimeout");
});

test("a sign of life is no move, and at most one a second is written", async () => {
  const w = await world();
  const { id } = await running(w);
  const before = (await w.task(id)).row;
  await w.engine.heardOf(id);
  assert.equal((await w.task(id)).row.activeAt, before.activeAt);
  await w.pass(1_500);
  await w.engine.heardOf(id);
  const at = w.clock.now();
  await w.pass(500);
  await w.engine.heardOf(id);
  const after = (await w.task(id)).row;
  assert.deepEqual([after.activeAt, after.version, after.dueAt], [at, before.version, before.dueAt]);
  assert.deepEqual(await w.history(id), ["submitted", "assigned"]);
});

test("a coordinator lives by what its messages tell, and a task that is over is left alone", async () => {
  const w = await world();
  const { id, worker } = await running(w);
  await w.engine.settle(id, { worker, attempt: 1 }, { type: "defer", total: 2 });
  await passing(w, worker, 110, () => w.engine.heardOf(id));
  assert.equal((await w.task(id)).row.state, "running");
  await w.engine.cancel({ id, actor: null });
  await w.pass(2_000);
  await w.engine.heardOf(id);
  assert.equal((await w.task(id)).row.state, "cancelled");
});
