// What the silence of a coordinator is worth where the server could not always hear.

import assert from "node:assert/strict";
import { test } from "node:test";
import { indexIn } from "../../core/messages.ts";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { settled } from "../../testing/world.ts";

const told = (w: BrokerWorld) => w.courier.waiting("batch").map(indexIn);

async function deferred(w: BrokerWorld, count: number): Promise<void> {
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
  await settled();
}

for (const stallMs of [60_000, 600_000]) {
  const title =
    "messages that consumers have while no server is there to hear of them are not told again as soon as one is";
  test(`${title}, of ${stallMs / 60_000} minutes`, async () => {
    const settings = { republishAfterMs: stallMs };
    const before = await brokerWorld({ settings });
    await deferred(before, 3);
    for (let n = 0; n < 3; n += 1) before.courier.take("batch");
    await before.stop();
    const { store, clock, bus, courier } = before;
    clock.advance(10 * stallMs);
    const w = await brokerWorld({ settings, store, clock, bus, courier, source: 2 });
    await w.pass(Math.min(stallMs, 120_000) - 2_000);
    assert.deepEqual(told(w), []);
    await w.pass(65_000);
    assert.deepEqual(told(w), [0, 1, 2]);
    await w.stop();
  });
}

for (const everyS of [240, 60]) {
  test(`a server whose pulse is slow every ${everyS} seconds finds in time what was lost`, async () => {
    let isSlow = false;
    const w = await brokerWorld({
      between: (store) => ({
        ...store,
        async pulse(request) {
          if (isSlow) await new Promise<void>((resolve) => void w.clock.alarm(w.clock.now() + 3_000, resolve));
          return store.pulse(request);
        },
      }),
    });
    await deferred(w, 2);
    w.courier.purge("batch");
    for (let second = 0; second < 800; second += 1) {
      isSlow = second % everyS === everyS - 40;
      w.clock.advance(1_000);
      await settled(12);
    }
    assert.deepEqual(told(w), [0, 1]);
    await w.stop();
  });
}
