import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import type { Store } from "../../ports/store.ts";
import { heldBy, house, idsOf, job, refusals } from "../../testing/work-house.ts";
import { settled } from "../../testing/world.ts";
import type { HeldAttempt } from "../letting-go.ts";

test("a worker that is ready is given a task as soon as there is one, and its result is told after the commit", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 1 });
  assert.equal(crew.got.length, 0);
  const { card } = await h.submit(job, { payload: '{"angle":90}' });
  await settled();
  assert.deepEqual(idsOf(crew), [card.id]);
  assert.deepEqual([crew.got[0]?.seq, crew.got[0]?.task.payload, crew.got[0]?.spec], [1, '{"angle":90}', job]);
  await crew.say({ results: crew.end() });
  assert.deepEqual(crew.told, [{ attempt: { task: card.id, attempt: 1 }, refusal: null }]);
  assert.deepEqual(await h.history(card.id), ["submitted", "assigned", "completed"]);
});

test("a task for an idle worker costs one question to the database, and none in vain after it", async () => {
  let asked = 0;
  const between = (inner: Store): Store => ({
    ...inner,
    async exchange(writes, demands, now) {
      asked += demands.length;
      return inner.exchange(writes, demands, now);
    },
  });
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 10 });
  asked = 0;
  await h.submit(job);
  await settled();
  assert.deepEqual([crew.got.length, asked], [1, 1]);
});

test("a beat that crossed an assignment does not bring a second one", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  assert.equal(crew.got.length, 1);
  await crew.say({ ready: 1, acked: 0 });
  assert.equal(crew.got.length, 1);
  await crew.say({ ready: 0, acked: 1 });
  assert.equal(crew.got.length, 1);
  await crew.say({ ready: 1, acked: 1 });
  assert.equal(crew.got.length, 2);
});

test("a result and the wish for more bring the acknowledgement and the next task", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ ready: 1, acked: 1, results: crew.end() });
  assert.equal(crew.told.length, 1);
  assert.equal(crew.got.length, 2);
});

test("a worker that never says what it has seen gets the next task with its result, not before", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  for (let count = 0; count < 3; count += 1) await h.submit(job);
  await crew.say({ ready: 1 });
  await crew.say({ ready: 1 });
  assert.equal(crew.got.length, 1);
  await crew.say({ ready: 1, results: crew.end() });
  assert.equal(crew.got.length, 2);
  await h.pass(1_000);
  await crew.say({ ready: 1 });
  assert.equal(crew.got.length, 3);
});

test("what there is is shared out, and whoever has least in hand is first", async () => {
  const h = await house();
  await h.job(job);
  const [first, second] = [await h.connect(), await h.connect()];
  await first.say({ ready: 8, acked: 0 });
  await second.say({ ready: 8, acked: 0 });
  await h.engine.submit(Array.from({ length: 4 }, () => ({ job, room: "@global", payload: "{}" })));
  await settled();
  assert.deepEqual([first.got.length, second.got.length], [2, 2]);
  await second.say({ ready: 8, acked: 2, results: [...second.end(0), ...second.end(1)] });
  await h.submit(job);
  await settled();
  assert.deepEqual([first.got.length, second.got.length], [2, 3]);
});

for (const ackWithinMs of [2_000, 600]) {
  test(`an assignment that a beating worker has not seen for ${ackWithinMs} ms goes to another`, async () => {
    const h = await house({ settings: { ackWithinMs } });
    await h.job(job);
    const crew = await h.connect();
    await h.submit(job);
    await crew.say({ ready: 1, acked: 0 });
    for (let half = 0; half < 3; half += 1) {
      await crew.say({ ready: 0, acked: 0 });
      crew.session.tick();
      await h.pass(ackWithinMs / 2);
    }
    const other = await h.connect();
    await other.say({ ready: 1, acked: 0 });
    assert.deepEqual(idsOf(other), idsOf(crew));
    assert.deepEqual(await h.history(idsOf(crew)[0] as string), ["submitted", "assigned", "released", "assigned"]);
    assert.equal((await h.task(idsOf(crew)[0] as string)).row.losses, 0);
  });
}

test("a worker that reads too slowly gets nothing more until it has read", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await crew.say({ ready: 20, acked: 0 });
  crew.isFull = true;
  await h.submit(job);
  await settled();
  const [first] = crew.got;
  await h.submit(job);
  await settled();
  await crew.say({ ready: 20, acked: 1 });
  assert.deepEqual(crew.got, first === undefined ? [] : [first]);
  crew.isFull = false;
  await crew.say({ ready: 20, acked: 1 });
  assert.equal(crew.got.length, 2);
});

test("the same result twice is one outcome, accepted both times; another one is refused", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ acked: 1, results: crew.end() });
  await crew.say({ acked: 1, results: crew.end() });
  assert.deepEqual(
    crew.told.map(({ refusal }) => refusal),
    [null, null],
  );
  const error = { message: "no", code: null, details: null };
  await crew.say({ acked: 1, results: crew.end(0, { type: "fail", error }) });
  assert.equal(crew.told[2]?.refusal?.code, "invalid-task-transition");
  assert.deepEqual(await h.history(idsOf(crew)[0] as string), ["submitted", "assigned", "completed"]);
  assert.equal(await refusals(h, idsOf(crew)[0] as string), 1);
});

test("a result that is told again while it is being written is written and answered once", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await crew.say({ acked: 1, results: [...crew.end(), ...crew.end()] });
  assert.deepEqual(
    crew.told.map(({ refusal }) => refusal),
    [null],
  );
});

test("a cancelled task is called off at the worker that has it, and its result no longer counts", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await h.engine.cancel({ id: card.id, actor: "ada" });
  await settled();
  assert.deepEqual(crew.cancelled, [{ task: card.id, attempt: 1 }]);
  await crew.say({ acked: 1, results: crew.end() });
  assert.equal(crew.told[0]?.refusal?.code, "invalid-task-transition");
});

test("a task that was called off is out of the worker's hands, though the worker says nothing of it any more", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  await h.engine.cancel({ id: card.id, actor: "ada" });
  await settled();
  await crew.say({ acked: 1, draining: true });
  await crew.session.leave("done");
  await settled();
  assert.equal(h.engine.catalog.worker(crew.session.worker), undefined);
});

test("a result that cannot be kept is a failure, and the worker hears why", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  const result = JSON.stringify("x".repeat(2_000_000));
  await crew.say({ acked: 1, results: crew.end(0, { type: "complete", result }) });
  assert.equal(crew.told[0]?.refusal?.code, "payload-too-large");
  assert.equal((await h.task(card.id)).outcome?.error?.code, "payload-too-large");
});

test("a result that cannot be kept while the database is away is to be told again: its task has no other end", async () => {
  let away = false;
  const between = (store: Store): Store => ({
    ...store,
    async exchange(...args) {
      if (away) throw new Problem("store-unavailable", "The database is away");
      return store.exchange(...args);
    },
  });
  const h = await house({ between });
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job);
  await crew.say({ ready: 1, acked: 0 });
  const results = crew.end(0, { type: "complete", result: JSON.stringify("x".repeat(2_000_000)) });
  away = true;
  await crew.say({ acked: 1, results });
  assert.equal(crew.told[0]?.refusal?.retry, true);
  away = false;
  await crew.say({ acked: 1, results });
  assert.equal(crew.told[1]?.refusal?.code, "payload-too-large");
  assert.equal((await h.task(card.id)).row.state, "failed");
});

test("progress, wanted lines of the log and metrics come along with a beat", async () => {
  const h = await house();
  await h.job(job);
  const crew = await h.connect();
  const { card } = await h.submit(job, { logs: "info" });
  await crew.say({ ready: 1, acked: 0 });
  const [held] = heldBy(crew) as [HeldAttempt];
  await crew.say({
    acked: 1,
    progress: [{ ...held, report: { current: 3, total: 10, message: "page 3" } }],
    logs: [
      { ...held, level: "info", message: "three", at: null },
      { ...held, level: "debug", message: "noise", at: null },
    ],
  });
  assert.equal((await h.task(card.id)).row.progress?.current, 3);
  const lines = await h.store.read("logs", { task: card.id, limit: 10, offset: 0 });
  assert.deepEqual(
    lines.items.map(({ message }) => message),
    ["three"],
  );
});
