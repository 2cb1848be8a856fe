import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";

const said = (w: BrokerWorld) =>
  w.log.lines.filter(({ message }) => /is not mapped/.test(message)).map(({ fields }) => fields);

async function deferred(w: BrokerWorld, count: number): Promise<string> {
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
  return id;
}

test("messages for a queue that is no longer mapped are told of at the start and once an hour, and sent when it is back", async () => {
  const before = await brokerWorld();
  await deferred(before, 2);
  await settled();
  before.courier.down();
  await deferred(before, 150);
  await before.stop();
  const { store, clock, bus } = before;
  const brokerQueues = new Map([["elsewhere", "operation"]] as const);
  const w = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier(), settings: { brokerQueues } });
  await w.pass(60_000);
  assert.deepEqual(said(w), [{ queue: "batch", count: 3 }]);
  for (let second = 0; second < 3_600; second += 1) {
    clock.advance(1_000);
    await settled(8);
  }
  assert.equal(said(w).length, 2);
  await w.stop();
  const after = await brokerWorld({ store, clock, bus, source: 3, courier: fakeCourier() });
  await after.pass(60_000);
  assert.ok(after.courier.waiting("batch").length >= 150);
  assert.deepEqual(said(after), []);
  await after.stop();
});

test("messages for a queue that is no longer mapped go once their coordinator was cancelled", async () => {
  const before = await brokerWorld();
  before.courier.down();
  const cancelled = [await deferred(before, 6_000), await deferred(before, 150)];
  await deferred(before, 2);
  for (const each of cancelled) await before.engine.cancel({ id: each, actor: null });
  await before.stop();
  const { store, clock, bus } = before;
  const brokerQueues = new Map([["elsewhere", "operation"]] as const);
  const w = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier(), settings: { brokerQueues } });
  await w.pass(10_000);
  assert.deepEqual(await store.find("outboxKinds", { limit: 9 }), [{ kind: "messages:batch", count: 1 }]);
  assert.deepEqual(said(w), [{ queue: "batch", count: 1 }]);
  await w.stop();
});

for (const needed of [50, 300]) {
  const then =
    needed === 50 ? "goes, though others are older" : "waits behind very many others, and nobody looks for ever";
  test(`what is kept of a coordinator that has ended, for a queue that is no longer mapped, ${then}`, async () => {
    const before = await brokerWorld({ settings: { unconsumedMax: 1 } });
    before.courier.down();
    await deferred(before, needed);
    const ended = await deferred(before, 2);
    await before.engine.cancel({ id: ended, actor: null });
    await before.stop();
    const { store, clock, bus } = before;
    const settings = { brokerQueues: new Map([["elsewhere", "operation"]] as const) };
    const w = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier(), settings });
    await w.pass(10_000);
    const count = needed === 50 ? 50 : 302;
    assert.deepEqual(await store.find("outboxKinds", { limit: 9 }), [{ kind: "messages:batch", count }]);
    assert.deepEqual(said(w), [{ queue: "batch", count }]);
    await w.stop();
  });
}
