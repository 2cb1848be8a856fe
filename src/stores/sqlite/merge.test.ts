import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstOf, type Source } from "./merge.ts";

const source = <T>(items: readonly T[]): Source<T> => {
  const rest = [...items];
  return () => rest.shift();
};

const before = (a: number, b: number) => a < b;

test("the first few of ordered sources are the first few of everything, in order", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat(50))), fc.nat(100), (lists, wanted) => {
      const sources = lists.map((list) => source(list.toSorted((a, b) => a - b)));
      const all = lists.flat().sort((a, b) => a - b);
      assert.deepEqual(firstOf(sources, before, wanted), all.slice(0, wanted));
    }),
  );
});

test("a source is asked for nothing beyond what is wanted", () => {
  let asked = 0;
  const counted = () => {
    asked += 1;
    return asked;
  };
  assert.deepEqual(firstOf([counted], before, 3), [1, 2, 3]);
  assert.equal(asked, 3);
  assert.deepEqual(firstOf([counted], before, 0), []);
  assert.equal(asked, 3);
});
