import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";

test("lost messages are told again by whoever leads, also those that are due in the moment in which another looks", async () => {
  const settings = { republishAfterMs: 20_000 };
  const leader = await brokerWorld({ settings });
  await leader.pass(2_500);
  const { store, clock, bus } = leader;
  const other = await brokerWorld({ store, clock, bus, source: 2, settings });
  const count = 64;
  for (let n = 0; n < count; n += 1) {
    const { id, holder } = await coordinator(leader);
    await leader.engine.settle(id, holder, { type: "defer", total: 1, messages: messages(1) });
    await leader.pass(250);
  }
  leader.courier.purge("batch");
  await leader.pass(40_000);
  assert.equal(leader.courier.waiting("batch").length, count);
  assert.deepEqual(other.courier.carried, []);
  await Promise.all([leader.stop(), other.stop()]);
});
