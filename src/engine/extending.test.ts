import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import { type World, world } from "../testing/world.ts";

const halfway = { current: 1, total: 2, message: null };

async function beating(w: World, worker: string, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10_000) {
    await w.engine.beat(worker);
    await w.pass(10_000);
  }
}

test("a lease that is extended in the same moment as progress is told is as long as was answered", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  const holder = { worker, attempt: 1 };
  await w.pass(60_000);
  const [extended] = await Promise.all([
    w.engine.extend(card.id, holder, 600_000),
    w.engine.progress(card.id, { holder }, halfway),
  ]);
  assert.equal(extended.row.leasedUntil, w.clock.now() + 600_000);
  assert.equal((await w.task(card.id)).row.leasedUntil, extended.row.leasedUntil);
  assert.deepEqual((await w.task(card.id)).row.progress, halfway);
});

test("a lease extended by way of one server outlives a move by way of another", async () => {
  const first = await world();
  const second = await world({ store: first.store, clock: first.clock, source: 2 });
  const job = await first.job();
  const worker = await first.worker([job], { profile: "amqp" });
  const { card } = await first.submit(job);
  await first.claim(worker);
  const holder = { worker, attempt: 1 };
  await second.engine.extend(card.id, holder, 600_000);
  await first.engine.progress(card.id, { holder }, halfway);
  await beating(first, worker, 590_000);
  assert.equal((await first.task(card.id)).row.state, "running");
  await beating(first, worker, 20_000);
  assert.deepEqual(await first.history(card.id), ["submitted", "assigned", "progressed", "lost"]);
});

test("a task that lives by its worker's beats cannot be extended, and is none the worse for the try", async () => {
  const w = await world();
  const job = await w.job();
  const worker = await w.worker([job], { profile: "rest" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  const before = (await w.task(card.id)).row;
  await assert.rejects(
    w.engine.extend(card.id, { worker, attempt: 1 }, 10_000),
    (error: unknown) =>
      error instanceof Problem && error.status === 409 && error.message.includes("no lease of its own"),
  );
  assert.deepEqual((await w.task(card.id)).row, before);
  await beating(w, worker, 30_000);
  assert.equal((await w.task(card.id)).row.state, "running");
});

test("a task that is extended again and again still ends by its other deadlines", async () => {
  const w = await world();
  const job = await w.job("@global:modifiers:Slow", { stuckTaskMs: 200_000 });
  const worker = await w.worker([job], { profile: "amqp" });
  const { card } = await w.submit(job);
  await w.claim(worker);
  await beating(w, worker, 100_000);
  const { row } = await w.engine.extend(card.id, { worker, attempt: 1 }, 600_000);
  assert.equal(row.dueAt, w.clock.now() + 100_000);
  await beating(w, worker, 110_000);
  assert.equal((await w.task(card.id)).outcome?.error?.code, "STUCK_JOB_TIMEOUT");
});
