import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { brokerWorld } from "../../testing/broker-world.ts";
import { countingCalls } from "../../testing/counting-calls.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";

test("a task of a broker's queue is told to it as soon as it is written, and once", async () => {
  const w = await brokerWorld();
  const ids = await w.submitted(await w.job(), 3);
  assert.deepEqual(w.waiting(), ids);
  await w.pass(30_000);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});

test("tasks of other queues, and those that are sent to a URL, are told to nobody", async () => {
  const w = await brokerWorld();
  await w.submit(await w.job());
  await w.submit(await w.job(), { queue: "batch" });
  const name = "@global:modifiers:Pushed";
  const push = { url: "https://example.com/" };
  await w.engine.jobs.register({ name, schema: {}, push, queue: "jobs", source: "explicit", replace: true });
  await w.submit(name);
  await w.pass(10_000);
  assert.deepEqual(w.courier.carried, []);
  await w.stop();
});

test("a delayed task is told of when its time has come, and not before", async () => {
  const w = await brokerWorld();
  const { card } = await w.submit(await w.job(), { queue: "jobs", runAt: w.clock.now() + 20_000 });
  await w.pass(19_000);
  assert.deepEqual(w.waiting(), []);
  await w.pass(1_500);
  assert.deepEqual(w.waiting(), [card.id]);
  await w.pass(10_000);
  assert.deepEqual(w.waiting(), [card.id]);
  await w.stop();
});

test("whatever brings a task back tells the queue anew: its worker, a failure, a loss", async () => {
  const w = await brokerWorld();
  const job = await w.job("@global:modifiers:Retried", { retry: { maxAttempts: 2, baseMs: 2_000 } });
  const worker = await w.worker([job]);
  const [id] = (await w.submitted(job)) as [string];
  const take = async () => {
    assert.equal(w.courier.take("jobs"), `{"job_id":"${id}"}`);
    const { row } = await w.engine.take(id, worker);
    return { worker, attempt: row.attempt };
  };
  await w.engine.settle(id, await take(), { type: "release", reason: "drain" });
  await settled();
  assert.deepEqual(w.waiting(), [id]);
  w.courier.purge("jobs");
  const [claimed] = await w.claim(worker);
  await w.engine.settle(id, { worker, attempt: claimed?.row.attempt ?? 0 }, { type: "release", reason: "drain" });
  await settled();
  const error = { message: "no", code: null, details: null };
  await w.engine.settle(id, await take(), { type: "start" });
  await w.engine.settle(id, { worker, attempt: 3 }, { type: "fail", error });
  await settled();
  assert.deepEqual(w.waiting(), [], "it is to be tried again only later");
  for (let second = 0; second < 4; second += 1) {
    await w.engine.beat(worker);
    await w.pass(1_000);
  }
  await take();
  await w.pass(6_500);
  assert.deepEqual(w.waiting(), [id]);
  assert.equal((await w.history(id)).at(-1), "lost");
  await w.stop();
});

test("what is counted on a task that waits does not tell its queue each time", async () => {
  const w = await brokerWorld();
  const [id] = (await w.submitted(await w.job())) as [string];
  for (let index = 0; index < 20; index += 1) {
    await w.engine.count(id, [{ index, failed: false, error: null }]);
    await settled();
  }
  assert.deepEqual(w.waiting(), [id]);
  await w.pass(20_000);
  assert.deepEqual(w.waiting(), [id]);
  await w.stop();
});

test("a submit is answered although the broker does not answer, and the sweep goes on", async () => {
  const w = await brokerWorld();
  const job = await w.job();
  w.courier.hold();
  const ids = await w.submitted(job, 2);
  assert.equal(ids.length, 2);
  const { card } = await w.submit(job, { runAt: w.clock.now() + 8_000 });
  await w.pass(10_000);
  assert.equal((await w.task(card.id)).row.runAt, null);
  w.courier.go();
  await w.stop();
});

test("what was written while the broker was away is told when it is back, first come first", async () => {
  const w = await brokerWorld();
  const job = await w.job();
  w.courier.down();
  const ids = [...(await w.submitted(job, 2)), ...(await w.submitted(job, 2))];
  await w.pass(60_000);
  assert.deepEqual(w.courier.carried, []);
  w.courier.up();
  await w.pass(250);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});

test("what was written a moment ago does not wait for five seconds when the broker is back", async () => {
  const w = await brokerWorld();
  const job = await w.job();
  w.courier.down();
  const ids = await w.submitted(job, 3);
  await w.pass(1_000);
  w.courier.up();
  await settled();
  assert.deepEqual(w.waiting(), ids);
  await w.pass(20_000);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});

for (const fate of ["refuse", "unheard"] as const) {
  test(`a message that is not confirmed (${fate}) is told again after five seconds`, async () => {
    const w = await brokerWorld();
    w.courier.fate(fate, 1);
    const [id] = (await w.submitted(await w.job())) as [string];
    const before = w.waiting().length;
    await w.pass(4_500);
    assert.equal(w.waiting().length, before);
    await w.pass(2_000);
    assert.deepEqual(w.waiting().slice(before), [id]);
    await w.pass(10_000);
    assert.equal(w.waiting().length, before + 1);
    await w.stop();
  });
}

test("what a server could not tell before it died, another tells", async () => {
  const first = await brokerWorld();
  const job = await first.job();
  first.courier.down();
  const ids = await first.submitted(job, 3);
  const { store, clock, bus } = first;
  const second = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier() });
  await second.pass(10_000);
  assert.deepEqual(second.waiting(), [], "the first still leads");
  first.engine.stop().catch(() => {});
  await second.pass(8_000);
  assert.deepEqual(second.waiting(), ids);
});

test("a confirmation that the database did not hear of is a message too many, and no task too few", async () => {
  let refuses = true;
  const between = (store: Store): Store => ({
    ...store,
    confirm: (messages, at) => (refuses ? Promise.reject(new Error("away")) : store.confirm(messages, at)),
  });
  const w = await brokerWorld({ between });
  const [id] = (await w.submitted(await w.job())) as [string];
  refuses = false;
  await w.pass(20_000);
  assert.deepEqual(w.waiting(), [id, id]);
  await w.stop();
});

test("what is paused is not told of until the pause is over", async () => {
  const w = await brokerWorld();
  const job = await w.job();
  const { card } = await w.submit(job, { queue: "jobs", runAt: w.clock.now() + 1_000 });
  await w.engine.lanes.setLimits(card.lane, { paused: true, maxRunning: null });
  const ids = [card.id, ...(await w.submitted(job, 2))];
  await w.pass(20_000);
  assert.deepEqual(w.waiting(), []);
  await w.engine.lanes.setLimits(card.lane, { paused: false, maxRunning: null });
  await w.pass(2_500);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});

test("a server with a broker and nothing to tell asks its database no more than without", async () => {
  const calls = countingCalls();
  const w = await brokerWorld({ between: calls.around });
  await w.job();
  await w.pass(70_000);
  calls.reset();
  await w.pass(60_000);
  assert.deepEqual([...calls.counts().keys()], ["pulse"]);
  await w.stop();
});
