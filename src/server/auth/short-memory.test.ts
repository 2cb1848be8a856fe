import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../testing/manual-clock.ts";
import { shortMemory } from "./short-memory.ts";

test("what is remembered is forgotten at its time", () => {
  const clock = manualClock();
  const memory = shortMemory<number>(10, clock);
  memory.put("a", 1, clock.now() + 5);
  clock.advance(4);
  assert.equal(memory.get("a"), 1);
  clock.advance(1);
  assert.equal(memory.get("a"), undefined);
  assert.equal(memory.size, 0, "looking removes it");
});

test("what is over already is not remembered, and takes what was known with it", () => {
  const clock = manualClock();
  const memory = shortMemory<number>(10, clock);
  memory.put("a", 1, clock.now() + 5);
  memory.put("a", 2, clock.now());
  assert.equal(memory.get("a"), undefined);
});

test("there are never more than allowed: the oldest go, and first those that are over", () => {
  const clock = manualClock();
  const memory = shortMemory<number>(3, clock);
  for (const n of [1, 2, 3, 4]) memory.put(`${n}`, n, clock.now() + 5);
  assert.deepEqual(
    ["1", "2", "3", "4"].map((key) => memory.get(key)),
    [undefined, 2, 3, 4],
  );
  clock.advance(5);
  memory.put("5", 5, clock.now() + 5);
  assert.equal(memory.size, 1);
  memory.clear();
  assert.equal(memory.size, 0);
});
