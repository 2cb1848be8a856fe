import assert from "node:assert/strict";
import { test } from "node:test";
import type { Problem } from "../../core/problem.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Store } from "../../ports/store.ts";
import { type BrokerWorld, brokerWorld, coordinator, messages } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { settled } from "../../testing/world.ts";
import { messagesKind } from "./operation-items.ts";

const left = (w: BrokerWorld): Promise<readonly OutboxItem[]> =>
  w.store.find("outbox", { kind: messagesKind("batch"), limit: 100 });

test("the messages of a deferral are told once it is written, numbered in their order, and nothing is left of them", async () => {
  const w = await brokerWorld();
  const { id, holder } = await coordinator(w);
  const { row } = await w.engine.settle(id, holder, { type: "defer", total: 250, messages: messages(250) });
  assert.deepEqual([row.state, row.worker, row.children?.total], ["running", null, 250]);
  await settled();
  const told = w.courier.waiting("batch");
  assert.equal(told.length, 250);
  assert.equal(told[7], `{"operation":"store","job_id":"${id}","index":7,"payload":{"n":7.0}}`);
  assert.deepEqual(
    told.map((body) => (JSON.parse(body) as { index: number }).index),
    Array.from({ length: 250 }, (_, n) => n),
  );
  assert.deepEqual(await left(w), []);
  await w.stop();
});

test("a deferral that is refused tells nobody anything", async () => {
  const w = await brokerWorld();
  const { id, holder } = await coordinator(w);
  const late = { ...holder, attempt: 9 };
  await assert.rejects(
    w.engine.settle(id, late, { type: "defer", total: 1, messages: messages(1) }),
    /no longer belongs/,
  );
  const few = { type: "defer", total: 1, messages: messages(2) } as const;
  await assert.rejects(w.engine.settle(id, holder, few), /at least 2/);
  for (const queue of ["jobs", "elsewhere"]) {
    const astray = { type: "defer", total: 1, messages: messages(1, queue) } as const;
    await assert.rejects(w.engine.settle(id, holder, astray), /not a queue of operations/);
  }
  await settled();
  assert.equal((await w.task(id)).row.worker, holder.worker);
  await w.pass(10_000);
  assert.deepEqual(w.courier.carried, []);
  assert.deepEqual(await left(w), []);
  await w.stop();
});

test("a deferral with a message that is longer than the broker takes is refused, and says which", async () => {
  const probe = `{"operation":"store","job_id":"${"0".repeat(36)}","index":1,"payload":{"n":1.0}}`;
  const w = await brokerWorld({ settings: { messageBytesMax: probe.length } });
  const { id, holder } = await coordinator(w);
  const [first, second] = messages(2);
  const long = { ...second, payload: '{"n":"€"}' } as typeof first;
  const wrong = { type: "defer", total: 2, messages: [first, long] } as Parameters<typeof w.engine.settle>[2];
  await assert.rejects(w.engine.settle(id, holder, wrong), (problem: Problem) => {
    assert.equal(problem.code, "invalid-request");
    assert.match(problem.message, new RegExp(`^/messages/1 is a message of ${probe.length + 2} bytes`));
    return true;
  });
  await w.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  await settled();
  assert.equal(w.courier.waiting("batch").length, 2);
  await w.stop();
});

test("a deferral that is told twice, because its answer was lost, is one, and so are its messages", async () => {
  const w = await brokerWorld();
  const { id, holder } = await coordinator(w);
  const move = { type: "defer", total: 3, messages: messages(3) } as const;
  assert.equal(await w.engine.conclude(id, holder, move), null);
  assert.equal(await w.engine.conclude(id, holder, move), null);
  await settled();
  assert.equal(w.courier.waiting("batch").length, 3);
  await w.stop();
});

test("messages wait for a broker that is down, without keeping the server busy, and are told when it is back", async () => {
  let looks = 0;
  const find: Store["find"] = (kind, query) => {
    if (kind === "outbox") looks += 1;
    return w.store.find(kind, query);
  };
  const w = await brokerWorld({ between: (store) => ({ ...store, find }) });
  const { id, holder } = await coordinator(w);
  w.courier.down();
  await w.engine.settle(id, holder, { type: "defer", total: 120, messages: messages(120) });
  looks = 0;
  await w.pass(300_000);
  assert.ok(looks <= 4 * 310, `${looks} looks in five minutes`);
  assert.equal((await left(w)).length, 2);
  w.courier.up();
  await w.pass(250);
  assert.equal(w.courier.waiting("batch").length, 120);
  assert.deepEqual(await left(w), []);
  await w.stop();
});

test("of messages that were not all confirmed the others alone are told again", async () => {
  const w = await brokerWorld();
  const { id, holder } = await coordinator(w);
  w.courier.fate("carry", 1);
  w.courier.fate("refuse", 1);
  await w.engine.settle(id, holder, { type: "defer", total: 3, messages: messages(3) });
  await settled();
  assert.equal((await left(w)).length, 1);
  await w.pass(7_000);
  assert.deepEqual(await left(w), []);
  const told = w.courier.waiting("batch").map((body) => (JSON.parse(body) as { index: number }).index);
  assert.deepEqual(told, [0, 2, 1]);
  await w.stop();
});

test("messages that their server could not send before it died are sent by another", async () => {
  const first = await brokerWorld();
  const { id, holder } = await coordinator(first);
  first.courier.down();
  await first.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  const { store, clock, bus } = first;
  const second = await brokerWorld({ store, clock, bus, source: 2, courier: fakeCourier() });
  first.engine.stop().catch(() => {});
  await second.pass(8_000);
  assert.equal(second.courier.waiting("batch").length, 2);
});

test("a full queue takes no more than there is room, and the others do not wait for it", async () => {
  const settings = {
    unconsumedMax: 200,
    brokerQueues: new Map([
      ["batch", "operation"],
      ["write", "operation"],
    ] as const),
  };
  const w = await brokerWorld({ settings, courier: fakeCourier() });
  const one = await coordinator(w);
  await w.engine.settle(one.id, one.holder, { type: "defer", total: 1_000, messages: messages(1_000) });
  const two = await coordinator(w);
  await w.engine.settle(two.id, two.holder, { type: "defer", total: 9, messages: messages(9, "write") });
  await w.pass(10_000);
  assert.equal(w.courier.waiting("batch").length, 200);
  assert.equal(w.courier.waiting("write").length, 9);
  let taken = 0;
  for (let second = 0; second < 15; second += 1) {
    while (w.courier.take("batch") !== undefined) taken += 1;
    await w.pass(1_000);
    assert.ok(w.courier.waiting("batch").length <= 200);
  }
  assert.equal(taken + w.courier.waiting("batch").length, 1_000);
  await w.stop();
});

test("messages of a coordinator that ended before they were sent go, and hold up nobody's", async () => {
  const w = await brokerWorld();
  w.courier.down();
  for (const count of [6_000, 50]) {
    const { id, holder } = await coordinator(w);
    await w.engine.settle(id, holder, { type: "defer", total: count, messages: messages(count) });
    await w.engine.cancel({ id, actor: null });
  }
  await w.pass(30_000);
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: 2, messages: messages(2) });
  await w.pass(6_000);
  w.courier.up();
  await w.pass(250);
  const whose = w.courier.waiting("batch").map((body) => (JSON.parse(body) as { job_id: string }).job_id);
  assert.deepEqual(whose, [id, id]);
  assert.deepEqual(await left(w), []);
  await w.stop();
});

test("the database is not asked for the coordinators of messages that are not there", async () => {
  let [looks, vain] = [0, 0];
  const between = (store: Store): Store => ({
    ...store,
    read(kind, query) {
      if (kind === "tasks") looks += 1;
      if (kind === "tasks" && "ids" in query && query.ids.length === 0) vain += 1;
      return store.read(kind, query);
    },
  });
  const w = await brokerWorld({ between, settings: { unconsumedMax: 2 } });
  const { id, holder } = await coordinator(w);
  await w.engine.settle(id, holder, { type: "defer", total: 6, messages: messages(6) });
  await w.pass(30_000);
  assert.ok(looks > 10, "there is no room, and it is looked whether what is left over is needed still");
  assert.equal(vain, 0);
  await w.stop();
});
