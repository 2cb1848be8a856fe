import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld } from "../../testing/broker-world.ts";

/** Answers the seconds of the world's clock at which the queue was tried, while the broker refuses everything. */
async function refusing(w: BrokerWorld): Promise<() => number[]> {
  const tried: number[] = [];
  const { publish } = w.courier;
  w.courier.publish = (queue, bodies) => {
    tried.push(w.clock.now());
    return publish(queue, bodies);
  };
  w.courier.fate("refuse");
  const from = w.clock.now();
  await w.submitted(await w.job());
  return () => tried.map((at) => Math.round((at - from) / 1_000));
}

async function pass(w: BrokerWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) await w.pass(1_000);
}

test("what a broker refuses is tried again after waits that double, up to the setting", async () => {
  const w = await brokerWorld({ settings: { publishCapMs: 4_000 } });
  const tried = await refusing(w);
  await pass(w, 26);
  assert.deepEqual(tried(), [0, 5, 6, 8, 12, 16, 20, 24]);
  await w.stop();
});

test("a broker that went away and is back is told at once, whatever it refused before", async () => {
  const w = await brokerWorld({ settings: { publishCapMs: 600_000 } });
  const tried = await refusing(w);
  await pass(w, 40);
  assert.deepEqual(tried(), [0, 5, 6, 8, 12, 20, 36]);
  w.courier.down();
  w.courier.up();
  await pass(w, 1);
  assert.deepEqual(tried().slice(7).length, 1);
  await w.stop();
});
