import assert from "node:assert/strict";
import { test } from "node:test";
import { taskMessage } from "../../core/messages.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { brokerWorld } from "../../testing/broker-world.ts";
import { settled, type WorldOptions } from "../../testing/world.ts";

async function narrowWorld(
  maxRunning: number,
  settings: WorldOptions["settings"] = {},
  between: WorldOptions["between"] = (store) => store,
) {
  const w = await brokerWorld({ settings, between });
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp" });
  // The lane is there once it has had a task.
  const [first] = (await w.submitted(job)) as [string];
  w.courier.take("jobs");
  await w.engine.cancel({ id: first, actor: null });
  const [lane] = w.engine.catalog.lanesOfJob(job) as [number];
  await w.engine.lanes.setLimits(lane, { paused: false, maxRunning });
  const take = (ids: readonly string[]) => w.engine.takeMany({ ids, worker, assign: false });
  const end = async (id: string): Promise<void> => {
    await w.engine.settle(id, { worker, attempt: 1 }, { type: "complete", result: null });
    await settled();
  };
  return { w, job, worker, lane, take, end };
}

test("no more tasks are told of than may run at a time, and the next as soon as one has ended", async () => {
  const { w, job, take, end } = await narrowWorld(2);
  const ids = await w.submitted(job, 5);
  assert.deepEqual(w.waiting(), ids.slice(0, 2));
  await w.pass(20_000);
  assert.deepEqual(w.waiting(), ids.slice(0, 2));
  for (const id of ids) {
    const message = w.courier.take("jobs");
    assert.equal(message, `{"job_id":"${id}"}`);
    assert.equal((await take([id])).length, 1);
    await end(id);
  }
  assert.deepEqual(w.waiting(), []);
  assert.equal(w.courier.carried.length, 6);
  await w.stop();
});

test("when more may run, more are told of", async () => {
  const { w, job, lane } = await narrowWorld(1);
  const ids = await w.submitted(job, 4);
  assert.deepEqual(w.waiting(), ids.slice(0, 1));
  await w.engine.lanes.setLimits(lane, { paused: false, maxRunning: 3 });
  await w.pass(7_000);
  assert.deepEqual(w.waiting(), ids.slice(0, 3));
  await w.stop();
});

test("places that workers of other doors have are not told of", async () => {
  const { w, job } = await narrowWorld(2);
  const other = await w.worker([job], {});
  w.courier.down();
  const ids = await w.submitted(job, 4);
  const [held] = await w.claim(other);
  w.courier.up();
  for (let second = 0; second < 8; second += 1) {
    await w.engine.beat(other);
    await w.pass(1_000);
  }
  const left = ids.filter((id) => id !== held?.card.id);
  assert.deepEqual(w.waiting(), left.slice(0, 1));
  await w.stop();
});

test("a task that was given up, because nobody took it however often it was told of, takes no place", async () => {
  const { w, job, worker, take, end } = await narrowWorld(1, { republishAfterMs: 20_000, republishMax: 2 });
  const [lost] = (await w.submitted(job)) as [string];
  for (let second = 0; second < 150; second += 1) {
    w.courier.purge("jobs");
    await w.engine.beat(worker);
    w.clock.advance(1_000);
    await settled(12);
  }
  assert.deepEqual(await w.history(lost), ["submitted", "republished", "republished"]);
  const ids = await w.submitted(job, 3);
  await w.pass(7_000);
  assert.deepEqual(w.waiting(), ids.slice(0, 1));
  for (const id of ids) {
    w.courier.take("jobs");
    assert.equal((await take([id])).length, 1);
    await end(id);
  }
  assert.deepEqual(w.waiting(), []);
  await w.stop();
});

test("a message that was lost stops no lane, though its queue never runs empty, and its task waits for that", async () => {
  const { w, job, take, end } = await narrowWorld(1, { republishAfterMs: 20_000 });
  const crowd = await w.submitted(await w.job("@global:modifiers:Other"), 3);
  w.courier.fate("lose", 1);
  const [lost, ...ids] = (await w.submitted(job, 4)) as [string, string, string, string];
  await w.pass(19_000);
  assert.deepEqual(w.waiting(), crowd);
  await w.pass(3_000);
  assert.deepEqual(w.waiting(), [...crowd, ids[0]]);
  for (const [nth, id] of ids.entries()) {
    assert.deepEqual(w.waiting(), [...crowd, id]);
    assert.equal((await take([id])).length, 1);
    w.courier.purge("jobs");
    await w.courier.publish("jobs", crowd.map(taskMessage));
    await end(id);
    assert.equal(w.waiting().length, nth === 2 ? 3 : 4);
  }
  assert.deepEqual(await w.history(lost), ["submitted"]);
  for (const _ of crowd) w.courier.take("jobs");
  await w.pass(32_000);
  assert.ok(w.waiting().includes(lost));
  await w.stop();
});

test("a lane that is limited while very many of its messages wait is told of no more than may run, now and later", async () => {
  const { w, job, lane } = await narrowWorld(1_200, { republishAfterMs: 20_000 });
  const first = await w.submitted(job, 1_200);
  await w.pass(30_000);
  assert.equal(w.waiting().length, first.length);
  await w.engine.lanes.setLimits(lane, { paused: false, maxRunning: 1 });
  const [next] = await w.submitted(job, 50);
  for (let round = 0; round < 3; round += 1) {
    await w.pass(6_000);
    assert.deepEqual(w.waiting(), [...first, next]);
  }
  await w.stop();
});

test("to see whether a place is free, no more of a long line is looked at than its front", async () => {
  const asked: number[] = [];
  const { w, job, take, end } = await narrowWorld(2, {}, (store) => ({
    ...store,
    async read(kind, query) {
      if (kind === "toldInFront") asked.push((query as Reads["toldInFront"]["query"]).among);
      return store.read(kind, query);
    },
  }));
  const ids = await w.submitted(job, 1_000);
  for (const id of ids.slice(0, 5)) {
    w.courier.take("jobs");
    assert.equal((await take([id])).length, 1);
    await end(id);
  }
  assert.deepEqual(w.waiting(), ids.slice(5, 7));
  assert.ok(asked.length >= 5 && asked.every((among) => among < 500), `asked among ${asked}`);
  await w.stop();
});

test("whoever comes in front takes no place from those that were told of", async () => {
  const { w, job } = await narrowWorld(2);
  const ids = await w.submitted(job, 3);
  for (let n = 0; n < 100; n += 1) await w.submit(job, { queue: "jobs", priority: n + 1 });
  await w.pass(7_000);
  assert.deepEqual(w.waiting(), ids.slice(0, 2));
  await w.stop();
});
