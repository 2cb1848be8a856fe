// How much a queue of the broker is told at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brokerWorld } from "../../testing/broker-world.ts";
import { fakeCourier } from "../../testing/fake-courier.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { room } from "./room.ts";

test("no more than so many wait in a queue; the rest follows as there is room, in its order", async () => {
  const w = await brokerWorld({ settings: { unconsumedMax: 10 } });
  const ids = await w.submitted(await w.job(), 25);
  assert.equal(w.waiting().length, 5, "half of the room is for what was left over");
  const taken: string[] = [];
  for (let second = 0; second < 20; second += 1) {
    await w.pass(1_000);
    assert.ok(w.waiting().length <= 10, `${w.waiting().length} wait`);
    for (const id of w.waiting().slice(0, 3)) {
      w.courier.take("jobs");
      taken.push(id);
    }
  }
  assert.deepEqual(taken, ids);
  await w.stop();
});

test("a queue is asked how full it is once a second at most", async () => {
  let asked = 0;
  const courier = fakeCourier();
  const counted = Object.assign(Object.create(courier) as typeof courier, {
    depth: (queue: string) => {
      asked += 1;
      return courier.depth(queue);
    },
  });
  const w = await brokerWorld({ courier: counted });
  const job = await w.job();
  for (let n = 0; n < 20; n += 1) await w.submitted(job);
  assert.equal(asked, 1);
  await w.pass(10_000);
  assert.ok(asked <= 11, `asked ${asked} times`);
  await w.stop();
});

test("a full queue whose consumers are quick is filled again ten times a second", async () => {
  const w = await brokerWorld({ settings: { unconsumedMax: 10 } });
  await w.submitted(await w.job(), 10);
  assert.equal(w.waiting().length, 5);
  for (let n = 0; n < 4; n += 1) w.courier.take("jobs");
  await w.pass(100);
  assert.equal(w.waiting().length, 5);
  await w.stop();
});

test("a burst of several times what fits into a queue is told of without a break while it is consumed", async () => {
  const w = await brokerWorld({ settings: { unconsumedMax: 10 } });
  const ids = await w.submitted(await w.job(), 50);
  const taken: string[] = [];
  for (let tenth = 0; tenth < 12; tenth += 1) {
    for (const id of w.waiting()) {
      w.courier.take("jobs");
      taken.push(id);
    }
    await w.pass(100);
  }
  assert.deepEqual(taken, ids);
  await w.stop();
});

test("a broker that does not say for a while how full a queue is, is believed to hold what it held", async () => {
  const courier = fakeCourier();
  const { depth } = courier;
  let isSilent = false;
  courier.depth = async (queue) => (isSilent ? null : depth(queue));
  const w = await brokerWorld({ courier, settings: { unconsumedMax: 100 } });
  await w.submitted(await w.job(), 2_000);
  await w.pass(10_000);
  assert.equal(w.waiting().length, 100);
  isSilent = true;
  await w.pass(50_000);
  assert.equal(w.waiting().length, 100);
  await w.pass(15_000);
  assert.equal(w.waiting().length, 200, "holding back might be for ever");
  await w.pass(50_000);
  assert.equal(w.waiting().length, 200, "once a minute");
  await w.stop();
});

/** What is known of a queue of which the test says what the broker answers. */
function known(first: number | null) {
  const clock = manualClock();
  const broker = { depth: first };
  const space = room(clock, { depth: async () => broker.depth }, "jobs");
  const learns = async (depth: number | null, ms = 1_000): Promise<void> => {
    clock.advance(ms);
    broker.depth = depth;
    await space.refresh();
  };
  return { space, learns };
}

test("a queue is not empty because nobody can say how full it is, unless that is so for a minute or ever was", async () => {
  const { space, learns } = known(3);
  await learns(3);
  await learns(null);
  assert.deepEqual([space.isEmpty(), space.free(10)], [false, 7]);
  space.begin(2);
  space.end(2);
  await learns(null, 58_000);
  assert.deepEqual([space.isEmpty(), space.free(10)], [false, 5]);
  await learns(null);
  assert.deepEqual([space.isEmpty(), space.free(10)], [true, 10]);
  const never = known(null);
  await never.space.refresh();
  assert.deepEqual([never.space.isEmpty(), never.space.free(10)], [true, 10]);
});

test("what is on its way while the broker is asked counts as waiting, whether it counted it or not", async () => {
  const { space, learns } = known(0);
  space.begin(2);
  space.end(2);
  space.begin(5);
  await learns(2);
  assert.deepEqual([space.isEmpty(), space.free(10)], [false, 3]);
  space.end(5);
  await learns(7);
  assert.equal(space.free(10), 3);
});
