import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Beats, carried, countKinds, everyOf, heightOf, kindOf } from "../../dashboard/src/pages/worker/beats.ts";

function beats(gaps: readonly (number | null)[], every_ms: number | null = 1_000): Beats {
  const measures = { loop_lag_ms: null, cpu_percent: null, ram_bytes: null };
  const items = gaps.map((gap_ms) => ({ at: "2026-01-31T12:34:56.789Z", gap_ms, ...measures }));
  return { node_id: "01a1e4e6-6e27-7001-907f-1c01f8f6c4b7", heard_here: true, every_ms, items };
}

test("a beat is on time, late, or comes after others were missed", () => {
  assert.equal(kindOf(1_300, 1_000), "on time");
  assert.equal(kindOf(1_400, 1_000), "late");
  assert.equal(kindOf(1_999, 1_000), "late");
  assert.equal(kindOf(2_000, 1_000), "missed");
});

test("the first beat that was heard is not late: nobody knows when the one before was", () => {
  assert.deepEqual(countKinds(beats([null, 1_000, 1_600, 5_000])), { "on time": 2, late: 1, missed: 1 });
});

test("where nobody says how often a worker beats, it is what it usually does", () => {
  assert.equal(everyOf(beats([null, 2_000, 2_100, 9_000], null)), 2_100);
  assert.equal(everyOf(beats([], null)), 1_000);
});

test("a longer silence is never a lower bar, and no bar leaves the strip", () => {
  const gap = fc.integer({ min: 0, max: 1e9 });
  fc.assert(
    fc.property(gap, gap, fc.integer({ min: 1, max: 1e6 }), (one, other, every) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)].map((ms) => heightOf(ms, every));
      assert.ok(low !== undefined && high !== undefined && low <= high && low > 0 && high <= 1);
    }),
  );
});

test("a beat that says nothing of a measure leaves it as it was", () => {
  assert.deepEqual(carried([null, 3, null, null, 5, null], 9), [null, 3, 3, 3, 5, 5]);
  assert.deepEqual(carried([null, null], 9), [9, 9], "what it said before all of them still counts");
  assert.deepEqual(carried([null], null), [null]);
});
