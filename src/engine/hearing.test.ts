import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { hearing } from "./hearing.ts";

/** Ticks each second, but where it is told to be away. */
function anEar() {
  let now = 0;
  const ear = hearing({ startedAt: 0, pulseMs: 1_000, profiles: defaultProfiles });
  const away = (ms: number): void => {
    now += ms;
    ear.tick(now);
  };
  const listen = (seconds: number): void => {
    for (let n = 0; n < seconds; n += 1) away(1_000);
  };
  return { away, listen, since: (windowMs: number) => ear.since(now, windowMs), ear, now: () => now };
}

test("what comes late by no more than a fifth of a window is not held to be late", () => {
  const { away, listen, since } = anEar();
  listen(10);
  away(13_000);
  assert.deepEqual([since(60_000), since(59_000)], [0, 23_000]);
});

test("for each window the last time counts at which this server was away for too long for it", () => {
  const { away, listen, since } = anEar();
  away(100_000);
  listen(10);
  away(20_000);
  listen(10);
  away(3_000);
  assert.deepEqual([5_000, 60_000, 360_000, 3_600_000].map(since), [143_000, 130_000, 100_000, 0]);
  away(30_000);
  assert.deepEqual([5_000, 60_000, 360_000].map(since), [173_000, 173_000, 100_000]);
});

test("a server that is away now has not heard anybody yet, and tells so before it ticks", () => {
  const { away, listen, ear } = anEar();
  listen(10);
  assert.equal(ear.since(40_000, 60_000), 40_000);
  assert.equal(ear.since(50_000, 60_000), 50_000);
  away(50_000);
  assert.equal(ear.since(70_000, 600_000), 0);
});

test("after a moment, what waits is read before anybody is judged", () => {
  const { away, listen, ear, now } = anEar();
  listen(10);
  assert.ok(ear.drainedAt(now()) < now());
  away(3_000);
  assert.equal(ear.drainedAt(now()), now() + 1_000);
});
