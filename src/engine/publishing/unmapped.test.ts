import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";

test("messages for a queue that is no longer mapped are told of at the start and once an hour, and sent when it is back", async () => {
  const before = await brokerWorld();
  const one = await coordinator(before);
  await before.engine.settle(one.id, one.holder, { type: "defer", total: 2, messages: messages(2) });
  await settled();
  before.courier.down();
  const two = await coordinator(before);
  await before.engine.settle(two.id, two.holder, { type: "defer", total: 150, messages: messages(150) });
  await before.stop();
  const { store, clock, bus } = before;
  const brokerQueues = new Map([["elsewhere", "operation"]] as const);
  const w = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier(), settings: { brokerQueues } });
  const said = () => w.log.lines.filter(({ message }) => /is not mapped/.test(message)).map(({ fields }) => fields);
  await w.pass(60_000);
  assert.deepEqual(said(), [{ queue: "batch", count: 3 }]);
  for (let second = 0; second < 3_600; second += 1) {
    clock.advance(1_000);
    await settled(8);
  }
  assert.equal(said().length, 2);
  await w.stop();
  const after = await brokerWorld({ store, clock, bus, source: 3, courier: fakeCourier() });
  await after.pass(60_000);
  assert.ok(after.courier.waiting("batch").length >= 150);
  assert.deepEqual(
    after.log.lines.filter(({ message }) => /is not mapped/.test(message)),
    [],
  );
  await after.stop();
});

test("messages for a queue that is no longer mapped go once their coordinator was cancelled", async () => {
  const before = await brokerWorld();
  before.courier.down();
  const cancelled: string[] = [];
  for (const count of [6_000, 150]) {
    const { id, holder } = await coordinator(before);
    await before.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
    cancelled.push(id);
  }
  const { id, holder } = await coordinator(before);
  await before.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  for (const each of cancelled) await before.engine.cancel({ id: each, actor: null });
  await before.stop();
  const { store, clock, bus } = before;
  const brokerQueues = new Map([["elsewhere", "operation"]] as const);
  const w = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier(), settings: { brokerQueues } });
  await w.pass(10_000);
  assert.deepEqual(await store.find("outboxKinds", { limit: 9 }), [{ kind: "messages:batch", count: 1 }]);
  const said = w.log.lines.filter(({ message }) => /is not mapped/.test(message));
  assert.deepEqual(
    said.map(({ fields }) => fields),
    [{ queue: "batch", count: 1 }],
  );
  await w.stop();
});
