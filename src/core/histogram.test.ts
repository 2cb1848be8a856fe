import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bucketMs, bucketOf, bucketsMax, type Histogram, merged, quantileMs, trimmed } from "./histogram.ts";

const month = 31 * 24 * 3_600_000;
const durations = fc.oneof(fc.nat(30), fc.nat(100_000), fc.nat(month));
const histograms = fc.array(fc.nat(50), { maxLength: bucketsMax }).map(trimmed);

function histogramOf(all: readonly number[]): Histogram {
  const counts = new Uint32Array(bucketsMax);
  for (const ms of all) counts[bucketOf(ms)] = (counts[bucketOf(ms)] as number) + 1;
  return trimmed(counts);
}

test("what a bucket stands for is at most a tenth off", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: month }), (ms) => {
      const told = bucketMs(bucketOf(ms));
      assert.ok(Math.abs(told - ms) <= 0.1 * ms, `${ms} became ${told}`);
    }),
  );
});

test("a longer duration is never in an earlier bucket, and whatever is longest is in the last", () => {
  fc.assert(fc.property(durations, durations, (a, b) => a > b || bucketOf(a) <= bucketOf(b)));
  assert.equal(bucketOf(Number.MAX_SAFE_INTEGER), bucketsMax - 1);
  assert.equal(bucketOf(0), 0);
  assert.equal(bucketOf(-5), 0, "clocks of two servers may disagree");
  assert.equal(bucketOf(Number.NaN), 0);
  assert.equal(bucketOf(1), 1);
});

test("histograms add up in any order, and an empty one adds nothing", () => {
  fc.assert(
    fc.property(histograms, histograms, histograms, (a, b, c) => {
      assert.deepEqual(merged(merged(a, b), c), merged(a, merged(b, c)));
      assert.deepEqual(merged(a, b), merged(b, a));
      assert.deepEqual(merged(a, []), a);
      assert.deepEqual(merged([], a), a);
    }),
  );
});

test("the histogram of all is the sum of the histograms of parts", () => {
  fc.assert(
    fc.property(fc.array(durations), fc.array(durations), (a, b) => {
      assert.deepEqual(merged(histogramOf(a), histogramOf(b)), histogramOf([...a, ...b]));
    }),
  );
});

test("a quantile is that of the durations themselves, a tenth more or less", () => {
  fc.assert(
    fc.property(fc.array(durations, { minLength: 1, maxLength: 200 }), fc.constantFrom(0.5, 0.95, 1), (all, share) => {
      const exact = all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(all.length * share)) - 1] as number;
      const told = quantileMs(histogramOf(all), share) as number;
      assert.ok(Math.abs(told - exact) <= 0.1 * exact + 0.5, `${exact} became ${told}`);
    }),
  );
  assert.equal(quantileMs([], 0.5), null);
  assert.equal(quantileMs([0, 0], 0.5), null);
});
