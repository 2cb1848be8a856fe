import assert from "node:assert/strict";
import { test } from "node:test";
import { recentValues } from "./recent-values.ts";

test("of too many values the one unused for longest goes", () => {
  const recent = recentValues<number>({ countMax: 2, keyLengthMax: 100 });
  recent.set("a", 1);
  recent.set("b", 2);
  recent.get("a");
  recent.set("c", 3);
  assert.deepEqual([recent.get("a"), recent.get("b"), recent.get("c")], [1, undefined, 3]);
});

test("long keys push out others as many short ones would", () => {
  const recent = recentValues<number>({ countMax: 100, keyLengthMax: 10 });
  for (const key of ["aaaa", "bbbb", "cccc"]) recent.set(key, key.length);
  assert.deepEqual([recent.get("aaaa"), recent.get("bbbb"), recent.get("cccc")], [undefined, 4, 4]);
  recent.set("bbbb", 5);
  assert.deepEqual([recent.get("bbbb"), recent.get("cccc")], [5, 4]);
});
