import assert from "node:assert/strict";
import { test } from "node:test";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";

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

test("messages that a broker never takes, however many there are, hide no others", async () => {
  const w = await brokerWorld();
  const { publish } = w.courier;
  w.courier.publish = async (queue, bodies) => {
    const small = bodies.filter((body) => body.length < 10_000);
    const answers = await publish(queue, small);
    return bodies.map((body) => answers[small.indexOf(body)] ?? false);
  };
  const large = messages(120).map((message) => ({ ...message, payload: `{"x":"${"x".repeat(200_000)}"}` }));
  const sent = [...large, ...messages(3), ...large.slice(0, 1)];
  w.courier.down();
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: sent.length, messages: sent });
  await w.pass(10_000);
  const other = await coordinator(w);
  await w.engine.settle(other.id, other.holder, { type: "defer", total: 5, messages: messages(5) });
  w.courier.up();
  await pass(w, 30);
  assert.equal(w.courier.waiting("batch").length, 8);
  // The broker takes more by now.
  w.courier.publish = publish;
  await pass(w, 75);
  assert.equal(w.courier.waiting("batch").length, 8 + large.length + 1);
  await w.stop();
});
