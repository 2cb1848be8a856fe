// What the document says of its reaper, with its own thresholds and a clock that is moved. Here it is the sweep: each pass
// is one tick, and its lease path and stall path are deadlines of the task.

import assert from "node:assert/strict";
import { test } from "node:test";
import { documentName } from "../../src/core/document-names.ts";
import { type BrokerWorld, brokerWorld } from "../../src/testing/broker-world.ts";
import { settled } from "../../src/testing/world.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

interface Running {
  readonly w: BrokerWorld;
  readonly id: string;
  readonly worker: string;
  readonly holder: { readonly worker: string; readonly attempt: number };
}

const job = "@global:operations:compute_embeddings";

/** A job of the document, running in the hands of a consumer. */
async function running(): Promise<Running> {
  const w = await brokerWorld();
  await w.job(job);
  const worker = await w.worker([job], { profile: "amqp" });
  const [id] = (await w.submitted(job)) as [string];
  return { w, id, worker, holder: await taken(w, id, worker) };
}

async function taken(w: BrokerWorld, id: string, worker: string) {
  w.courier.take("jobs");
  await w.engine.beat(worker);
  const { row } = await w.engine.take(id, worker);
  const holder = { worker, attempt: row.attempt };
  await w.engine.settle(id, holder, { type: "start" });
  return holder;
}

/**
 * The clock stands somewhere else, the consumer is alive, and the reaper has made its pass. In steps: to a server that was
 * asleep nobody's silence means anything.
 */
async function later({ w, worker }: Pick<Running, "w" | "worker">, ms: number): Promise<void> {
  for (let left = ms, seconds = 0; left > 0; left -= second, seconds += 1) {
    if (seconds % 30 === 0) await w.engine.beat(worker);
    w.clock.advance(Math.min(left, second));
    await settled(6);
  }
  await w.engine.beat(worker);
  await w.engine.sweeper.tick();
  await settled();
}

async function names(w: BrokerWorld, id: string): Promise<(string | null)[]> {
  const { items } = await w.store.read("events", { task: id, limit: 500, offset: 0 });
  return items.map(documentName);
}

test("“jobs stuck in RUNNING status beyond a configurable timeout (default: 21 600 seconds = 6 hours) … marks them as FAILED with error code JobTimeout”", async () => {
  const scene = await running();
  const { w, id, holder } = scene;
  await w.engine.extend(id, holder, 24 * hour);
  await later(scene, 6 * hour - minute);
  assert.equal((await w.task(id)).row.state, "running");
  await later(scene, 2 * minute);
  const { outcome } = await w.task(id);
  assert.deepEqual([outcome?.state, outcome?.error?.code], ["failed", "JobTimeout"]);
  assert.equal((await names(w, id)).at(-1), "job.timeout");
  await w.stop();
});

test("“a job under the timeout is never touched”, however silent it is", async () => {
  const scene = await running();
  const { w, id, holder } = scene;
  await w.engine.extend(id, holder, 24 * hour);
  for (let hours = 0; hours < 5; hours += 1) await later(scene, hour);
  const { row } = await w.task(id);
  assert.deepEqual([row.state, row.attempt], ["running", 1]);
  await w.stop();
});

test("“if the job has produced any JobEvent within the last stall_seconds window, it is considered alive and left in place”", async () => {
  const scene = await running();
  const { w, id, holder } = scene;
  await w.engine.extend(id, holder, 48 * hour);
  await later(scene, 5 * hour);
  for (let rounds = 0; rounds < 8; rounds += 1) {
    await w.engine.progress(id, { holder }, { current: rounds });
    await later(scene, 29 * minute);
    assert.equal((await w.task(id)).row.state, "running");
  }
  await later(scene, 2 * minute);
  assert.equal((await w.task(id)).outcome?.error?.code, "JobTimeout");
  await w.stop();
});

test("“Deferred coordinator jobs … may legitimately run longer than timeout_seconds because the actual work is done by child batch messages”", async () => {
  const scene = await running();
  const { w, id, holder } = scene;
  const child = await w.submit(job, { parent: id, queue: "jobs" });
  await w.engine.settle(id, holder, { type: "defer", total: 2 });
  const { row } = await w.task(id);
  assert.deepEqual([row.leasedUntil, row.worker, row.state], [null, null, "running"]);
  const child1 = await taken(w, child.card.id, scene.worker);
  await w.engine.extend(child.card.id, child1, 48 * hour);
  await later(scene, 6 * hour - 10 * minute);
  for (let rounds = 0; rounds < 6; rounds += 1) {
    await w.engine.progress(child.card.id, { holder: child1 }, { current: rounds });
    await later(scene, 20 * minute);
    assert.equal((await w.task(id)).row.state, "running", `after ${rounds} rounds`);
  }
  await later(scene, 31 * minute);
  assert.equal((await w.task(id)).outcome?.error?.code, "JobTimeout");
  assert.deepEqual(await names(w, id), ["job.created", null, "job.started", "job.dispatched", "job.timeout"]);
  await w.stop();
});

test("“Background thread that periodically extends a job’s lease”: each half minute it keeps the job, and without it the job is free after two minutes", async () => {
  const scene = await running();
  const { w, id, holder } = scene;
  for (let beats = 0; beats < 20; beats += 1) {
    await later(scene, 30 * second);
    await w.engine.extend(id, holder, 120 * second);
  }
  assert.equal((await w.task(id)).row.state, "running");
  await later(scene, 119 * second);
  assert.equal((await w.task(id)).row.state, "running");
  await later(scene, 2 * second);
  const { row } = await w.task(id);
  assert.deepEqual([row.state, row.startedAt, row.leasedUntil, row.losses], ["pending", null, null, 1]);
  assert.deepEqual(w.waiting(), [id], "it is published again");
  await w.stop();
});

test("“max_lease_requeues: int = 3”: a job whose lease expires is requeued three times, and then fails with lease_expired", async () => {
  const scene = await running();
  const { w, id, worker } = scene;
  for (let round = 1; round <= 3; round += 1) {
    await later(scene, 121 * second);
    assert.deepEqual(w.waiting(), [id], `requeue ${round}`);
    await taken(w, id, worker);
  }
  await later(scene, 121 * second);
  const { outcome } = await w.task(id);
  assert.deepEqual([outcome?.state, outcome?.error?.code], ["failed", "lease_expired"]);
  const requeued = "job.lease_expired_requeue";
  const told = (await names(w, id)).filter((name) => name?.startsWith("job.lease_expired"));
  assert.deepEqual(told, [requeued, requeued, requeued, "job.lease_expired"]);
  const { items } = await w.store.read("events", { task: id, limit: 500, offset: 0 });
  const losses = items.filter(({ type }) => type === "task.lost").map(({ data }) => JSON.parse(data ?? "null"));
  assert.deepEqual(
    losses.map(({ priorRequeues, maxRequeues }) => [priorRequeues, maxRequeues]),
    [0, 1, 2, 3].map((prior) => [prior, 3]),
  );
  const last = losses.at(-1);
  assert.equal(last.lastEventAt, items.findLast(({ type }) => type === "task.started")?.at);
  assert.deepEqual([last.timeoutMs, last.stallMs], [6 * hour, 30 * minute]);
  await w.stop();
});

test("a consumer that died is noticed by its lease, though it never said goodbye", async () => {
  const { w, id } = await running();
  await w.pass(125 * second);
  assert.equal((await w.task(id)).row.state, "pending");
  assert.deepEqual(w.waiting(), [id]);
  await w.stop();
});
