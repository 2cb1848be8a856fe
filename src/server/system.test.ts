import assert from "node:assert/strict";
import { test } from "node:test";
import { uuid7Time } from "../core/uuid7.ts";
import { type SystemClock, systemClock, systemIds, systemRandom } from "./system.ts";

const ring = (clock: SystemClock, at: number): Promise<void> => new Promise((resolve) => void clock.alarm(at, resolve));

test("the clock tells the time of day in whole milliseconds", () => {
  const now = systemClock().now();
  assert.ok(now >= performance.timeOrigin - 1 && now < performance.timeOrigin + 60_000);
  assert.ok(Number.isInteger(now));
});

test("an alarm never rings before its time, and soon after it", async () => {
  const clock = systemClock();
  for (const delay of [0, 1, 5, 20]) {
    const at = clock.now() + delay;
    await ring(clock, at);
    assert.ok(clock.now() >= at, "too early");
    assert.ok(clock.now() < at + 1_000, "too late");
  }
});

test("an alarm that was taken back does not ring", async () => {
  const clock = systemClock();
  let rang = false;
  const cancel = clock.alarm(clock.now() + 2, () => {
    rang = true;
  });
  cancel();
  cancel();
  await ring(clock, clock.now() + 10);
  assert.equal(rang, false);
});

test("an alarm may be further away than a timer can reach", () => {
  const clock = systemClock();
  const cancel = clock.alarm(clock.now() + 2 ** 40, () => assert.fail("rang"));
  cancel();
});

test("an offset moves the time forward at once, and alarms with it", async () => {
  const clock = systemClock();
  const before = clock.now();
  const far = ring(clock, before + 3_600_000);
  clock.setOffset(3_600_000);
  assert.ok(clock.now() >= before + 3_600_000);
  assert.ok(clock.machine() < before + 60_000, "the machine's own time is untouched");
  await far;
});

test("an offset never moves the time back: it stands still until then", async () => {
  const clock = systemClock();
  const before = clock.now();
  clock.setOffset(-30);
  for (let look = 0; look < 1_000; look += 1) assert.ok(clock.now() >= before);
  await ring(clock, before + 2);
  assert.ok(clock.machine() >= before + 30, "it waited for the moved clock");
});

test("the clock catches up with a machine that slept", (context) => {
  const clock = systemClock();
  const before = clock.now();
  clock.catchUp();
  assert.ok(clock.now() - before < 200);
  const awake = clock.machine() + 3_600_000;
  context.mock.method(Date, "now", () => awake);
  clock.catchUp();
  assert.ok(clock.now() >= before + 3_600_000);
  context.mock.method(Date, "now", () => before - 3_600_000);
  clock.catchUp();
  assert.ok(clock.now() >= before + 3_600_000, "a wall clock that was set back is not followed");
});

test("ids grow, are distinct and tell when they were made", () => {
  const clock = systemClock();
  const ids = systemIds(clock);
  let last = "";
  for (let count = 0; count < 20_000; count += 1) {
    const id = ids.next();
    assert.ok(id > last);
    last = id;
  }
  assert.match(last, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(Math.abs(uuid7Time(last) - clock.now()) < 1_000);
});

test("ids stay in order when one millisecond has more of them than it has numbers", () => {
  const ids = systemIds({ now: () => 1_000 });
  const made = Array.from({ length: 10_000 }, () => ids.next());
  assert.deepEqual(made, made.toSorted());
  assert.equal(new Set(made).size, made.length);
});

test("two servers never make the same id", () => {
  const [a, b] = [systemIds({ now: () => 1 }), systemIds({ now: () => 1 })];
  assert.notEqual(a.next(), b.next());
});

test("chance lies in [0, 1)", () => {
  const { fraction } = systemRandom();
  for (let count = 0; count < 1_000; count += 1) {
    const value = fraction();
    assert.ok(value >= 0 && value < 1);
  }
});
