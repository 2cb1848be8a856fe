import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperationMessage } from "../../core/messages.ts";
import type { Courier } from "../../ports/courier.ts";
import type { Store } from "../../ports/store.ts";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { settled } from "../../testing/world.ts";

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

/** The broker refuses what is large, and says so. Answers how it took everything. */
function takingOnlySmall(w: BrokerWorld, onRefused = () => {}): Courier["publish"] {
  const { publish } = w.courier;
  w.courier.isSetAside = (_queue, body) => body.length >= 10_000;
  w.courier.publish = async (queue, bodies) => {
    const small = bodies.filter((body) => body.length < 10_000);
    if (small.length < bodies.length) onRefused();
    const answers = await publish(queue, small);
    let nth = 0;
    return bodies.map((body) => body.length < 10_000 && answers[nth++] === true);
  };
  return publish;
}

function largeOnes(count: number): OperationMessage[] {
  return messages(count).map((message) => ({ ...message, payload: `{"x":"${"x".repeat(200_000)}"}` }));
}

async function deferred(w: BrokerWorld, sent: readonly OperationMessage[]): Promise<void> {
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: sent.length, messages: sent });
  await settled();
}

test("messages that a broker never takes, however many there are, hide no others", async () => {
  const w = await brokerWorld();
  const publish = takingOnlySmall(w);
  const large = largeOnes(120);
  const sent = [...large, ...messages(3), ...large.slice(0, 1)];
  w.courier.down();
  await deferred(w, sent);
  await w.pass(10_000);
  await deferred(w, messages(5));
  w.courier.up();
  await pass(w, 30);
  assert.equal(w.courier.waiting("batch").length, 8);
  // The broker takes more by now.
  w.courier.publish = publish;
  await pass(w, 75);
  assert.equal(w.courier.waiting("batch").length, 8 + large.length + 1);
  await w.stop();
});

test("a broker that takes all but one message of each bundle is not kept waiting", async () => {
  const w = await brokerWorld();
  takingOnlySmall(w);
  const [large] = largeOnes(1) as [OperationMessage];
  const sent = messages(10_000).map((message, n) => (n % 100 === 50 ? large : message));
  w.courier.down();
  await deferred(w, sent);
  await w.pass(10_000);
  w.courier.up();
  let taken = 0;
  for (let second = 0; second < 30; second += 1) {
    await w.pass(1_000);
    while (w.courier.take("batch") !== undefined) taken += 1;
  }
  assert.equal(taken, 9_900);
  await w.stop();
});

test("where a broker takes nothing at all, it is tried again in a moment", async () => {
  const w = await brokerWorld();
  w.courier.fate("refuse", 4);
  await deferred(w, messages(2));
  await pass(w, 10);
  assert.equal(w.courier.waiting("batch").length, 2);
  await w.stop();
});

test("what a broker alone does not take, of several, is tried again a minute later", async () => {
  const w = await brokerWorld();
  let tried = 0;
  const publish = takingOnlySmall(w, () => {
    tried += 1;
  });
  w.courier.down();
  await deferred(w, largeOnes(1));
  await deferred(w, messages(1));
  await pass(w, 10);
  w.courier.up();
  await pass(w, 60);
  assert.equal(tried, 1);
  w.courier.publish = publish;
  await pass(w, 10);
  assert.equal(w.courier.waiting("batch").length, 2);
  await w.stop();
});

test("what a broker alone does not take, with nothing beside it, keeps nobody waiting", async () => {
  const w = await brokerWorld({ settings: { unconsumedMax: 100 } });
  takingOnlySmall(w);
  await deferred(w, largeOnes(1));
  await pass(w, 70);
  // After five seconds what found no room is left over.
  await deferred(w, messages(1_500));
  let taken = 0;
  for (let second = 0; second < 22; second += 1) {
    await w.pass(1_000);
    while (w.courier.take("batch") !== undefined) taken += 1;
  }
  assert.equal(taken, 1_500);
  await w.stop();
});

test("a queue that takes no more than so many is filled again as soon as somebody has taken some", async () => {
  const w = await brokerWorld();
  const { publish } = w.courier;
  w.courier.publish = async (queue, bodies) => {
    const free = 200 - w.courier.waiting(queue).length;
    const answers = free <= 0 ? [] : await publish(queue, bodies.slice(0, free));
    return bodies.map((_, nth) => answers[nth] === true);
  };
  await deferred(w, messages(2_000));
  let taken = 0;
  for (let second = 0; second < 40; second += 1) {
    await w.pass(1_000);
    while (w.courier.take("batch") !== undefined) taken += 1;
  }
  assert.equal(taken, 2_000);
  await w.stop();
});

for (const returns of ["while the database is told of the others", "a moment later"]) {
  test(`what a broker did not take because it went away is not put off; it is back ${returns}`, async () => {
    let whileWriting = (): void => {};
    const between = (store: Store): Store => ({
      ...store,
      amend(scope, decide) {
        whileWriting();
        return store.amend(scope, decide);
      },
    });
    const w = await brokerWorld({ between });
    const { publish } = w.courier;
    w.courier.down();
    await deferred(w, messages(200));
    await pass(w, 10);
    w.courier.publish = async (queue, bodies) => {
      w.courier.publish = publish;
      const answers = await publish(queue, bodies.slice(0, 100));
      w.courier.down();
      if (returns !== "a moment later") whileWriting = w.courier.up;
      return [...answers, ...bodies.slice(100).map(() => false)];
    };
    w.courier.up();
    await pass(w, 1);
    assert.equal(w.courier.isUp(), returns !== "a moment later");
    w.courier.up();
    await pass(w, 10);
    assert.equal(w.courier.waiting("batch").length, 200);
    await w.stop();
  });
}

test("of a bundle that was taken in part, the rest is sent behind the others", async () => {
  const w = await brokerWorld({ settings: { unconsumedMax: 100 } });
  w.courier.down();
  await deferred(w, messages(100));
  await pass(w, 1);
  await deferred(w, messages(101).slice(1));
  await pass(w, 10);
  w.courier.fate("refuse", 1);
  w.courier.up();
  for (let second = 0; second < 5; second += 1) {
    await pass(w, 1);
    while (w.courier.take("batch") !== undefined);
  }
  const numbers = w.courier.carried.map(({ body }) => (JSON.parse(body) as { payload: { n: number } }).payload.n);
  const first = messages(100).map((_, n) => n);
  assert.deepEqual(numbers, [...first.slice(1), ...first.map((n) => n + 1), 0]);
  await w.stop();
});
