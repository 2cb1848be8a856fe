import assert from "node:assert/strict";
import { test } from "node:test";
import { uuid7CounterMax, uuid7Time } from "../core/uuid7.ts";
import { countingIds } from "./counting-ids.ts";
import { manualClock, worldStart } from "./manual-clock.ts";

test("each id is greater than the one before it, whatever the clock does", () => {
  const clock = manualClock();
  const ids = countingIds(clock);
  const made = [ids.next(), ids.next()];
  clock.advance(1);
  made.push(ids.next(), ids.next());
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, 4);
  assert.deepEqual(made.map(uuid7Time), [worldStart, worldStart, worldStart + 1, worldStart + 1]);
});

test("a millisecond that has used up its counter borrows from the next", () => {
  const clock = manualClock();
  const ids = countingIds(clock);
  const made = Array.from({ length: uuid7CounterMax + 3 }, () => ids.next());
  clock.advance(1);
  made.push(ids.next());
  assert.deepEqual(made.toSorted(), made);
  assert.equal(new Set(made).size, made.length);
});

test("two sources never make the same id", () => {
  const clock = manualClock();
  assert.notEqual(countingIds(clock, 1).next(), countingIds(clock, 2).next());
});
