import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";
import { desks } from "../desks/desks.ts";

/** In large steps, for what takes long. */
async function wait(w: BrokerWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    w.clock.advance(1_000);
    await settled(12);
  }
}

test("a task whose message is gone is told of again after ten minutes", async () => {
  const w = await brokerWorld();
  const ids = await w.submitted(await w.job(), 2);
  w.courier.purge("jobs");
  await wait(w, 595);
  assert.deepEqual(w.waiting(), []);
  await wait(w, 70);
  assert.deepEqual(w.waiting(), ids);
  await w.stop();
});

test("a task that nobody takes is told of five times more soon, and hides nobody", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000 } });
  const job = await w.job();
  const ids = await w.submitted(job, 2);
  for (let round = 0; round < 8; round += 1) {
    w.courier.purge("jobs");
    await wait(w, 32);
  }
  assert.deepEqual(w.waiting(), []);
  for (const id of ids) assert.deepEqual(await w.history(id), ["submitted", ...Array(5).fill("republished")]);
  assert.equal(w.log.lines.filter(({ message }) => /is not taken from its queue/.test(message)).length, 2);
  const [late] = (await w.submitted(job)) as [string];
  w.courier.purge("jobs");
  await wait(w, 32);
  assert.deepEqual(w.waiting(), [late]);
  await w.stop();
});

test("after a purge all that was in the queue is told of again in one go, over several lanes", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000 } });
  const ids = [
    ...(await w.submitted(await w.job(), 250)),
    ...(await w.submitted(await w.job("@global:modifiers:Other"), 130)),
  ];
  w.courier.purge("jobs");
  await wait(w, 32);
  assert.deepEqual(new Set(w.waiting()), new Set(ids));
  assert.equal(w.waiting().length, ids.length);
  await w.stop();
});

test("a long line is no orphan: while a message waits in the queue, nothing is told of again", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000 } });
  const ids = await w.submitted(await w.job(), 3);
  w.courier.take("jobs");
  await wait(w, 100);
  assert.deepEqual(w.waiting(), ids.slice(1));
  for (const id of ids) assert.deepEqual(await w.history(id), ["submitted"]);
  await w.stop();
});

test("what was written long before the broker could hear of it is not lost as soon as it has heard", async () => {
  const w = await brokerWorld();
  const job = await w.job();
  w.courier.down();
  const [id] = (await w.submitted(job)) as [string];
  const { card } = await w.submit(job, { queue: "jobs", runAt: w.clock.now() + 700_500 });
  await wait(w, 700);
  w.courier.up();
  await wait(w, 2);
  assert.deepEqual(w.waiting(), [id, card.id]);
  // They are in the hands of a consumer that has not claimed them yet.
  w.courier.purge("jobs");
  await wait(w, 590);
  for (const each of [id, card.id]) assert.deepEqual(await w.history(each), ["submitted"]);
  await wait(w, 75);
  assert.deepEqual(w.waiting(), [id, card.id]);
  await w.stop();
});

test("a queue that is never empty when somebody looks was empty in between: what it had before that is told of again", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000 } });
  const job = await w.job();
  const lost = await w.submitted(job, 2);
  w.courier.purge("jobs");
  await wait(w, 2);
  const waits = await w.submitted(job);
  await wait(w, 2);
  waits.push(...(await w.submitted(job)));
  await wait(w, 14);
  assert.deepEqual(w.waiting(), waits);
  await wait(w, 14);
  assert.deepEqual(w.waiting(), [...waits, ...lost]);
  await wait(w, 100);
  assert.deepEqual(w.waiting(), [...waits, ...lost]);
  for (const id of waits) assert.deepEqual(await w.history(id), ["submitted"]);
  await w.stop();
});

test("a broker that cannot tell how full a queue is has not said that it is empty", async () => {
  const courier = Object.assign(fakeCourier(), { depth: async () => null });
  const w = await brokerWorld({ courier, settings: { republishAfterMs: 20_000 } });
  const [id] = (await w.submitted(await w.job())) as [string];
  courier.purge("jobs");
  await wait(w, 100);
  assert.deepEqual(await w.history(id), ["submitted"]);
  await w.stop();
});

test("a person may tell a queue again of a task that was given up, and the server then tries as often as before", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000, republishMax: 2 } });
  const { submits } = desks(w.around, { operations: w.engine, schemas: { check() {}, validator: () => () => [] } });
  const ada = { user: "ada", role: "user", token: null, rooms: null, jobs: null } as const;
  const job = await w.job();
  const [id] = (await w.submitted(job)) as [string];
  const purged = async () => {
    for (let round = 0; round < 4; round += 1) {
      w.courier.purge("jobs");
      await wait(w, 32);
    }
  };
  await purged();
  assert.deepEqual([w.waiting(), (await w.history(id)).length], [[], 3]);
  const { record } = await submits.retry(ada, id);
  assert.deepEqual([record.row.id, record.row.state], [id, "pending"]);
  await settled();
  assert.deepEqual(w.waiting(), [id]);
  const { items } = await w.store.read("events", { task: id, limit: 9, offset: 0 });
  assert.equal(items.at(-1)?.data, '{"actor":"ada"}');
  const audit = await w.store.read("audit", { limit: 9, offset: 0 });
  assert.deepEqual(
    audit.items.map(({ action, target, actor }) => [action, target, actor]),
    [["task.retry", id, "ada"]],
  );
  await purged();
  assert.deepEqual(await w.history(id), ["submitted", ...Array(5).fill("republished")]);
  const open = { code: "task-open" };
  const delayed = await w.submit(job, { queue: "jobs", runAt: w.clock.now() + 60_000 });
  const elsewhere = await w.submit(job);
  const worker = await w.worker([job]);
  const [taken] = (await w.submitted(job)) as [string];
  await w.engine.take(taken, worker);
  for (const each of [delayed.card.id, elsewhere.card.id, taken]) await assert.rejects(submits.retry(ada, each), open);
  await w.stop();
});

test("a task that was told of five times more is told of once an hour from then on, and each time that is said", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000, republishMax: 1 } });
  const [id] = (await w.submitted(await w.job())) as [string];
  const said = () => w.log.lines.filter(({ message }) => /is not taken from its queue/.test(message)).length;
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second += 32) {
      w.courier.purge("jobs");
      await wait(w, 32);
    }
  };
  await seconds(96);
  assert.deepEqual([await w.history(id), said()], [["submitted", "republished"], 1]);
  await seconds(3_400);
  assert.deepEqual([(await w.history(id)).length, said()], [2, 1]);
  await seconds(300);
  assert.deepEqual([(await w.history(id)).length, said()], [3, 2]);
  await seconds(3_700);
  assert.deepEqual([(await w.history(id)).length, said()], [4, 3]);
  await w.stop();
});

test("whoever had a task since has shown that its messages arrive: it is told of as often as before", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000, republishMax: 2 } });
  const job = await w.job();
  const worker = await w.worker([job], { profile: "amqp" });
  const [id] = (await w.submitted(job)) as [string];
  const lost = async () => {
    for (let second = 0; second < 128; second += 1) {
      if (second % 32 === 0) w.courier.purge("jobs");
      await w.engine.beat(worker);
      await wait(w, 1);
    }
  };
  await lost();
  const republished = ["republished", "republished"];
  assert.deepEqual(await w.history(id), ["submitted", ...republished]);
  assert.equal((await w.engine.takeMany({ ids: [id], worker, assign: true })).length, 1);
  await w.engine.settle(id, { worker, attempt: 1 }, { type: "release", reason: "later" });
  await lost();
  const history = await w.history(id);
  assert.deepEqual(history.slice(-3), ["released", ...republished]);
  await w.stop();
});

test("a lost message is found though tasks of another lane become ready by the time, each second", async () => {
  const w = await brokerWorld({ settings: { republishAfterMs: 20_000 } });
  const [lost] = (await w.submitted(await w.job("@global:modifiers:Other"))) as [string];
  w.courier.purge("jobs");
  const later = { job: await w.job(), room: "@global", payload: "{}", queue: "jobs" };
  const from = w.clock.now();
  await w.engine.submit(Array.from({ length: 100 }, (_, n) => ({ ...later, runAt: from + 500 + n * 1_000 })));
  const taken = new Set<string>();
  for (let second = 0; second < 90; second += 1) {
    await wait(w, 1);
    for (const id of w.waiting()) taken.add(id);
    while (w.courier.take("jobs") !== undefined);
  }
  assert.ok(taken.size > 50, `${taken.size} came through`);
  assert.ok(taken.has(lost));
  await w.stop();
});
