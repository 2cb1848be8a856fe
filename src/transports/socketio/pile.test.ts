import assert from "node:assert/strict";
import { test } from "node:test";
import { pile } from "./pile.ts";

const word = (key: string, n: number) => ({ text: `["e",${n}]`, key, job: null });

test("a pile keeps the newest of each key, in the order in which they were said last", () => {
  const waiting = pile(9);
  for (const [key, n] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ] as const) {
    assert.equal(waiting.add(word(key, n)), true);
  }
  assert.equal(waiting.size, 2);
  assert.deepEqual(waiting.take(), [word("b", 2), word("a", 3)]);
  assert.deepEqual(waiting.take(), []);
});

test("a pile that is full takes no new key, but a newer word on one it has", () => {
  const waiting = pile(2);
  waiting.add(word("a", 1));
  waiting.add(word("b", 2));
  assert.equal(waiting.add(word("a", 3)), true);
  assert.equal(waiting.add(word("c", 4)), false);
});
