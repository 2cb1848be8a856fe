import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { firstFew, sortedList } from "./sorted-list.ts";

const byNumber = (a: number, b: number) => a - b;

test("a list is in order, forwards and backwards, whatever was added and removed", () => {
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(3_000)), { maxLength: 4_000, size: "max" });
  const holds = fc.property(steps, fc.nat(3_000), (plan, from) => {
    const list = sortedList(byNumber);
    const model = new Set<number>();
    for (const [adding, n] of plan) {
      if (adding && !model.has(n)) list.add(n);
      if (adding) model.add(n);
      else {
        list.remove(n);
        model.delete(n);
      }
    }
    const sorted = [...model].sort(byNumber);
    assert.deepEqual([...list], sorted);
    assert.deepEqual([...list.backwards()], sorted.toReversed());
    assert.deepEqual(
      [...list.after(from)],
      sorted.filter((n) => n > from),
    );
    assert.deepEqual([list.size, list.first()], [sorted.length, sorted[0]]);
  });
  fc.assert(holds, { numRuns: 60 });
});

test("the first few are those that are wanted, and no more is looked at", () => {
  function* endless() {
    for (let n = 0; ; n += 1) yield n;
  }
  assert.deepEqual(
    firstFew(endless(), 3, (n) => n % 2 === 1),
    [1, 3, 5],
  );
  assert.deepEqual(firstFew(endless(), 0), []);
  assert.deepEqual(firstFew([1, 2], 9), [1, 2]);
});
