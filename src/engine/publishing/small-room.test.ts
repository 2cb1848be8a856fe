import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { settled } from "../../testing/world.ts";

async function deferred(w: BrokerWorld, count: number): Promise<void> {
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
  await settled();
}

/** Consumers take all that waits, once a second. */
async function drain(w: BrokerWorld, seconds: number, most: number): Promise<number> {
  let taken = 0;
  for (let second = 0; second < seconds; second += 1) {
    assert.ok(w.courier.waiting("batch").length <= most, `${w.courier.waiting("batch").length} wait`);
    while (w.courier.take("batch") !== undefined) taken += 1;
    await w.pass(1_000);
  }
  return taken;
}

for (const most of [1, 7, 50]) {
  test(`where ${most} may wait in a queue, the messages of a deferral follow one another`, async () => {
    const w = await brokerWorld({ settings: { unconsumedMax: most } });
    await deferred(w, 60);
    assert.equal(await drain(w, 80, most), 60);
    await w.stop();
  });
}

test("messages that were bundled when more might wait are sent into an empty queue", async () => {
  const before = await brokerWorld();
  before.courier.down();
  await deferred(before, 60);
  await before.stop();
  const { store, clock, bus } = before;
  const w = await brokerWorld({ store, clock, bus, source: 2, settings: { unconsumedMax: 10 } });
  assert.equal(await drain(w, 20, 60), 60);
  await w.stop();
});
