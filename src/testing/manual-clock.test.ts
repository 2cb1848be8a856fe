import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock, worldStart } from "./manual-clock.ts";

test("the clock stands still until it is moved", () => {
  const clock = manualClock();
  assert.equal(clock.now(), worldStart);
  clock.advance(5);
  assert.equal(clock.now(), worldStart + 5);
});

test("alarms ring in the order of their times, each at its own time, and once", () => {
  const clock = manualClock(100);
  const rung: [string, number][] = [];
  const ring = (name: string) => () => rung.push([name, clock.now()]);
  clock.alarm(130, ring("c"));
  clock.alarm(110, ring("a"));
  clock.alarm(120, ring("b"));
  clock.alarm(120, ring("b too"));
  clock.advance(20);
  assert.deepEqual(rung, [
    ["a", 110],
    ["b", 120],
    ["b too", 120],
  ]);
  clock.advance(100);
  assert.deepEqual(rung.slice(3), [["c", 130]]);
  assert.equal(clock.now(), 220);
});

test("an alarm for the past rings when the clock next moves, at the time it is then", () => {
  const clock = manualClock(100);
  const rung: number[] = [];
  clock.alarm(50, () => rung.push(clock.now()));
  assert.deepEqual(rung, []);
  clock.advance(0);
  assert.deepEqual(rung, [100]);
});

test("an alarm that was taken back does not ring, and one set while ringing does", () => {
  const clock = manualClock(0);
  const rung: string[] = [];
  const takeBack = clock.alarm(10, () => rung.push("never"));
  clock.alarm(5, () => {
    takeBack();
    clock.alarm(8, () => rung.push("set while ringing"));
  });
  clock.advance(20);
  assert.deepEqual(rung, ["set while ringing"]);
});
