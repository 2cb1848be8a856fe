import assert from "node:assert/strict";
import { test } from "node:test";
import { handedOnEvent, indexIn } from "../../core/messages.ts";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";
import { messagesKind, sentKind } from "./operation-items.ts";

const stallMs = 60_000;
const settings = { republishAfterMs: stallMs };
/** Longer than it takes until somebody looks again. */
const lookMs = 35_000;

const told = (w: BrokerWorld, queue = "batch") => w.courier.waiting(queue).map(indexIn);

function twoQueues(): Promise<BrokerWorld> {
  const brokerQueues = new Map([
    ["batch", "operation"],
    ["write", "operation"],
  ] as const);
  return brokerWorld({ settings: { ...settings, brokerQueues }, courier: fakeCourier() });
}

async function kept(w: BrokerWorld): Promise<number> {
  const kinds = [messagesKind("batch"), sentKind("batch")];
  const found = await Promise.all(kinds.map((kind) => w.store.find("outbox", { kind, limit: 100 })));
  return found.flat().length;
}

async function deferred(w: BrokerWorld, count: number, more: { readonly logs?: null } = {}): Promise<string> {
  const { id, holder } = await coordinator(w, more);
  await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
  await settled();
  return id;
}

/** As whoever hands a message of this task on to that queue. */
async function saysHandedOn(w: BrokerWorld, task: string, queue: string): Promise<void> {
  const line = { task, attempt: 1, at: w.clock.now(), level: "info", message: "" };
  await w.store.append({ logs: [{ ...line, event: handedOnEvent, fields: JSON.stringify({ queue }) }] });
}

const done = (index: number) => ({ index, failed: false, error: null });

test("of a queue that was purged, those messages that nobody has counted are told again, and the coordinator ends", async () => {
  const w = await brokerWorld({ settings });
  const id = await deferred(w, 250);
  for (let n = 0; n < 100; n += 1) w.courier.take("batch");
  await w.engine.count(
    id,
    Array.from({ length: 100 }, (_, n) => done(n)),
  );
  w.courier.purge("batch");
  await w.pass(stallMs - 2_000);
  assert.deepEqual(told(w), []);
  await w.pass(lookMs);
  assert.deepEqual(
    told(w),
    Array.from({ length: 150 }, (_, n) => n + 100),
  );
  await w.engine.count(
    id,
    told(w).map((index) => done(index as number)),
  );
  assert.equal((await w.task(id)).row.state, "completed");
  w.courier.purge("batch");
  await w.pass(2 * stallMs);
  assert.deepEqual(told(w), []);
  assert.equal(await kept(w), 0);
  await w.stop();
});

test("messages that wait, here or in a queue they were handed on to, are not lost, however long that takes", async () => {
  const w = await twoQueues();
  const id = await deferred(w, 3);
  await w.pass(3 * stallMs);
  assert.deepEqual(told(w), [0, 1, 2]);
  const bodies = [0, 1, 2].map(() => w.courier.take("batch") as string);
  await saysHandedOn(w, id, "write");
  await w.courier.publish("write", bodies);
  await w.pass(3 * stallMs);
  assert.deepEqual([told(w), told(w, "write")], [[], [0, 1, 2]]);
  w.courier.purge("write");
  await w.pass(lookMs);
  assert.deepEqual(told(w), [0, 1, 2]);
  await w.stop();
});

test("a backlog in a queue that no message of a coordinator was handed on to does not hide that its own are lost", async () => {
  const w = await twoQueues();
  await deferred(w, 3);
  await w.courier.publish("write", ["{}"]);
  w.courier.purge("batch");
  await w.pass(stallMs + lookMs);
  assert.deepEqual([told(w), w.courier.waiting("write")], [[0, 1, 2], ["{}"]]);
  await w.stop();
});

test("where a coordinator wants no such lines in its log, its messages may be in every queue", async () => {
  const w = await twoQueues();
  await deferred(w, 3, { logs: null });
  await w.courier.publish("write", ["{}"]);
  w.courier.purge("batch");
  await w.pass(3 * stallMs);
  assert.deepEqual(told(w), []);
  w.courier.purge("write");
  await w.pass(lookMs);
  assert.deepEqual(told(w), [0, 1, 2]);
  await w.stop();
});

test("a coordinator that hears of some of its messages is waited for, and the rest is told again once it falls silent", async () => {
  const w = await brokerWorld({ settings });
  const id = await deferred(w, 6);
  w.courier.purge("batch");
  for (let n = 0; n < 5; n += 1) {
    await w.pass(stallMs - 2_000);
    await w.engine.count(id, [done(n)]);
    assert.deepEqual(told(w), []);
  }
  await w.pass(stallMs + lookMs);
  assert.deepEqual(told(w), [5]);
  await w.stop();
});

test("messages that nobody counts are told again five times soon, and then once an hour, and each time that is said", async () => {
  const w = await brokerWorld({ settings });
  const id = await deferred(w, 2);
  let times = 0;
  for (let pass = 0; pass < 10; pass += 1) {
    w.courier.purge("batch");
    await w.pass(stallMs + lookMs);
    if (told(w).length > 0) times += 1;
  }
  assert.equal(times, 5);
  const said = () => w.log.lines.filter(({ message }) => /however often they are told/.test(message));
  assert.deepEqual(said(), []);
  w.courier.purge("batch");
  for (let second = 0; second < 7_200; second += 1) {
    w.clock.advance(1_000);
    await settled(6);
    if (told(w).length > 0) times += 1;
    w.courier.purge("batch");
  }
  assert.equal(times, 7);
  assert.deepEqual(
    said().map(({ level, fields }) => [level, fields]),
    [5, 6].map((times) => ["warn", { task: id, queue: "batch", count: 2, times }]),
  );
  assert.equal((await w.task(id)).row.state, "running");
  await w.engine.cancel({ id, actor: null });
  await w.pass(stallMs + lookMs);
  assert.equal(await kept(w), 0);
  await w.stop();
});

test("of two servers that tell the same messages, one keeps them", async () => {
  const w = await brokerWorld({ settings });
  const { store, clock, bus } = w;
  const other = await brokerWorld({ settings, store, clock, bus, source: 2, courier: fakeCourier() });
  other.courier.hold();
  await deferred(other, 2);
  await w.pass(8_000);
  assert.equal(w.courier.waiting("batch").length, 2);
  other.courier.go();
  await settled();
  assert.equal(await kept(w), 1);
  await Promise.all([w.stop(), other.stop()]);
});

for (const handedOn of [false, true]) {
  const then = handedOn ? "another was not, and nothing is told again" : "all were, and what was lost is told again";
  test(`a queue of operations is never empty when somebody looks, but was in between; ${then}`, async () => {
    const w = await twoQueues();
    await saysHandedOn(w, await deferred(w, 3), "write");
    w.courier.purge("batch");
    if (handedOn) await w.courier.publish("write", ["{}"]);
    await w.pass(6_000);
    await deferred(w, 1);
    await w.pass(2_000);
    await w.courier.publish("write", ["{}"]);
    await w.pass(3 * stallMs);
    assert.deepEqual(told(w), handedOn ? [0] : [0, 0, 1, 2]);
    await w.stop();
  });
}
