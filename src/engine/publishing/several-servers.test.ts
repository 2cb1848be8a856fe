import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../ports/store.ts";
import { type BrokerWorld, brokerQueues, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { type FakeCourier, fakeCourier } from "../../testing/fake-courier.ts";
import { settled, type WorldOptions } from "../../testing/world.ts";

/** Another server on the same database. */
function beside({ store, clock, bus }: BrokerWorld, options: Parameters<typeof brokerWorld>[0]): Promise<BrokerWorld> {
  return brokerWorld({ store, clock, bus, ...options });
}

test("several servers that write at once leave as much room in a queue as one does", async () => {
  const courier = fakeCourier({ queues: [...brokerQueues.keys()] });
  const settings: WorldOptions["settings"] = { unconsumedMax: 1_000 };
  const first = await brokerWorld({ courier, settings });
  const servers = [first];
  for (const source of [2, 3, 4]) servers.push(await beside(first, { source, courier, settings }));
  const job = await first.job();
  await first.pass(2_000);
  // Each has asked how full the queue is, and asks again in a second.
  for (const w of servers) await w.submitted(job);
  await Promise.all(servers.map((w) => w.submitted(job, 1_000)));
  await settled(100);
  const atOnce = first.waiting().length;
  assert.ok(atOnce > 480 && atOnce <= 500, `${atOnce} wait`);
  for (let second = 0; second < 10; second += 1) {
    await first.pass(1_000);
    assert.ok(first.waiting().length <= 1_000, `${first.waiting().length} wait`);
  }
  assert.equal(first.waiting().length, 1_000, "the leader fills it up");
  await Promise.all(servers.map((w) => w.stop()));
});

/** The first leads, and its broker is away from it alone. */
async function cutOff(options: WorldOptions = {}): Promise<{ leader: BrokerWorld; other: BrokerWorld }> {
  const leader = await brokerWorld();
  const courier = fakeCourier({ queues: [...brokerQueues.keys()] });
  const other = await beside(leader, { ...options, source: 2, courier });
  await leader.pass(3_000);
  leader.courier.down();
  return { leader, other };
}

test("what a leader without its broker cannot tell, another server tells a quarter of a minute later, once", async () => {
  const { leader, other } = await cutOff();
  const job = await leader.job();
  const ids = await leader.submitted(job, 2);
  const { card } = await other.submit(job, { queue: "jobs", runAt: leader.clock.now() + 20_000 });
  await leader.pass(14_000);
  assert.deepEqual(other.waiting(), []);
  await leader.pass(4_000);
  assert.deepEqual(other.waiting(), ids);
  await leader.pass(16_000);
  assert.deepEqual(other.waiting(), [...ids, card.id]);
  await leader.pass(120_000);
  assert.deepEqual(other.waiting(), [...ids, card.id]);
  await Promise.all([leader.stop(), other.stop()]);
});

test("the messages of a deferral that a leader without its broker cannot tell, another server tells", async () => {
  const { leader, other } = await cutOff();
  const { id, holder } = await coordinator(leader);
  await leader.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  await leader.pass(14_000);
  assert.equal(other.courier.waiting("batch").length, 0);
  await leader.pass(18_000);
  assert.equal(other.courier.waiting("batch").length, 2);
  await Promise.all([leader.stop(), other.stop()]);
});

test("a message that was lost is found by another server where the leader's broker is away", async () => {
  const { leader, other } = await cutOff({ settings: { republishAfterMs: 20_000 } });
  const { id, holder } = await coordinator(other);
  await other.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  const ids = await other.submitted(await leader.job());
  other.courier.purge("jobs");
  other.courier.purge("batch");
  await leader.pass(65_000);
  assert.deepEqual(other.waiting(), ids);
  assert.equal(other.courier.waiting("batch").length, 2);
  await Promise.all([leader.stop(), other.stop()]);
});

test("a server beside the leader asks for what was left four times a minute, and leaves to it what it can tell", async () => {
  let asked = 0;
  const between = (store: Store): Store => ({
    ...store,
    find(kind, query) {
      asked += 1;
      return store.find(kind, query);
    },
  });
  const { leader, other } = await cutOff({ between });
  leader.courier.up();
  const job = await leader.job();
  leader.courier.fate("refuse", 3);
  const ids = await leader.submitted(job, 3);
  await leader.pass(61_000);
  assert.deepEqual(leader.waiting(), ids);
  assert.deepEqual(other.waiting(), []);
  assert.ok(asked > 0 && asked <= 8, `${asked} questions in a minute`);
  await Promise.all([leader.stop(), other.stop()]);
});

/** Three servers of one broker. The first leads; `between` stands between a broker and the server with this number. */
async function three(between: (courier: FakeCourier, nth: number) => FakeCourier) {
  const courier = fakeCourier({ queues: [...brokerQueues.keys()] });
  const told = [0, 0, 0];
  const settings: WorldOptions["settings"] = { unconsumedMax: 200 };
  const of = (nth: number): Parameters<typeof brokerWorld>[0] => {
    const mine = between(courier, nth);
    const publish: FakeCourier["publish"] = (queue, bodies) => {
      told[nth] = (told[nth] as number) + bodies.length;
      return mine.publish(queue, bodies);
    };
    return { courier: { ...mine, publish }, settings };
  };
  const leader = await brokerWorld(of(0));
  await leader.pass(2_000);
  const others = [await beside(leader, { source: 2, ...of(1) }), await beside(leader, { source: 3, ...of(2) })];
  const stop = () => Promise.all([leader, ...others].map((w) => w.stop()));
  return { courier, leader, told, stop };
}

test("servers beside a leader that is well leave a long line to it, though much is taken just before they look", async () => {
  const { leader, told, stop } = await three((courier, nth) => {
    const depth = (queue: string) => {
      for (let n = 0; n < 20; n += 1) courier.take(queue);
      return courier.depth(queue);
    };
    return nth === 0 ? courier : { ...courier, depth };
  });
  await leader.submitted(await leader.job(), 1_500);
  for (let second = 0; second < 90; second += 1) {
    await leader.pass(1_000);
    assert.ok(leader.waiting().length <= 200, `${leader.waiting().length} wait`);
  }
  assert.ok((told[0] as number) > 300, `${told[0]} were told`);
  assert.deepEqual(told.slice(1), [0, 0]);
  await stop();
});

test("when the broker is back, servers beside the leader give it time to tell what was left meanwhile", async () => {
  const opened = Promise.withResolvers<void>();
  const { courier, leader, told, stop } = await three((mine, nth) => {
    const publish: FakeCourier["publish"] = async (queue, bodies) => {
      await opened.promise;
      return mine.publish(queue, bodies);
    };
    return nth === 0 ? { ...mine, publish } : mine;
  });
  courier.down();
  const ids = await leader.submitted(await leader.job(), 150);
  await leader.pass(60_000);
  courier.up();
  await leader.pass(10_000);
  opened.resolve();
  await leader.pass(60_000);
  assert.deepEqual(leader.waiting(), ids);
  assert.deepEqual(told, [150, 0, 0]);
  await stop();
});

test("what another server has sent meanwhile is not brought back by a server whose broker refuses it", async () => {
  const { leader, other } = await cutOff();
  const answered = Promise.withResolvers<void>();
  const { publish } = leader.courier;
  const { id, holder } = await coordinator(leader);
  await leader.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  await leader.pass(8_000);
  leader.courier.publish = async (_queue, bodies) => {
    await answered.promise;
    return bodies.map(() => false);
  };
  leader.courier.up();
  await leader.pass(20_000);
  assert.equal(other.courier.waiting("batch").length, 2);
  answered.resolve();
  await settled();
  leader.courier.publish = publish;
  await leader.pass(70_000);
  assert.deepEqual(leader.courier.carried, []);
  assert.equal(other.courier.carried.length, 2);
  await Promise.all([leader.stop(), other.stop()]);
});

for (const publishCapMs of [5_000, 9_000, 30_000]) {
  test(`messages that the leader's broker refuses, tried each ${publishCapMs} ms, another server tells`, async () => {
    const settings = { publishCapMs };
    const courier = fakeCourier({ queues: [...brokerQueues.keys()] });
    const refusing = {
      ...courier,
      publish: async (_queue: string, bodies: readonly string[]) => bodies.map(() => false),
    };
    const leader = await brokerWorld({ courier: refusing, settings });
    await leader.pass(2_000);
    const other = await beside(leader, { source: 2, settings });
    await leader.pass(2_000);
    const { id, holder } = await coordinator(leader);
    await leader.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
    for (let second = 0; second < 20; second += 1) await leader.pass(1_000);
    assert.equal(other.courier.waiting("batch").length, 2);
    await Promise.all([leader.stop(), other.stop()]);
  });
}

for (const everyMs of [5_000, 12_000, 20_000]) {
  test(`a server whose broker comes back each ${everyMs / 1_000} s tells what a leader without one cannot`, async () => {
    const { leader, other } = await cutOff();
    const ids = await leader.submitted(await leader.job(), 3);
    for (let ms = 0; ms < 80_000; ms += everyMs) {
      other.courier.down();
      await leader.pass(500);
      other.courier.up();
      await leader.pass(everyMs - 500);
    }
    assert.deepEqual(other.waiting(), ids);
    await Promise.all([leader.stop(), other.stop()]);
  });
}
