import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { crew } from "./crew.ts";

const about = { version: "v1", places: 2 };

test("places are those of executors with the same version of the jobs, as they last said", () => {
  const clock = manualClock();
  const known = crew(clock, 5_000);
  assert.equal(known.heard("a", about), true);
  assert.equal(known.heard("a", about), false);
  assert.equal(known.heard("b", { version: "v2", places: 8 }), true);
  assert.deepEqual([known.places("v1"), known.places("v2"), known.places("v3")], [2, 8, 0]);
  assert.equal(known.heard("a", { version: "v1", places: 0 }), true);
  assert.equal(known.places("v1"), 0);
});

test("an executor is gone when it has been silent for too long, and any word of it counts", () => {
  const clock = manualClock();
  const known = crew(clock, 5_000);
  known.heard("a", about);
  known.heard("b", about);
  clock.advance(4_000);
  known.heard("b");
  clock.advance(1_000);
  assert.deepEqual(known.silent(0), ["a"]);
  assert.deepEqual(known.silent(0), []);
  assert.equal(known.places("v1"), 2);
});

test("the time in which nobody could be heard does not count", () => {
  const clock = manualClock();
  const known = crew(clock, 5_000);
  known.heard("a", about);
  clock.advance(60_000);
  const backAt = clock.now();
  assert.deepEqual(known.silent(backAt), []);
  clock.advance(5_000);
  assert.deepEqual(known.silent(backAt), ["a"]);
});
