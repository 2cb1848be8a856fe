import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { callTimes } from "./call-times.ts";

test("without calls there is nothing to tell", () => {
  assert.deepEqual(callTimes().summary(), { calls: 0, totalMs: 0, meanMs: 0, p95Ms: 0, maxMs: 0 });
});

test("the mean and the longest are exact, and 95 of 100 are told within a fifth", () => {
  const time = fc.double({ min: 0, max: 3_600_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(time, { minLength: 1, maxLength: 300 }), (all) => {
      const times = callTimes();
      for (const ms of all) times.add(ms);
      const { calls, meanMs, p95Ms, maxMs } = times.summary();
      const sorted = [...all].sort((a, b) => a - b);
      const exact = sorted[Math.ceil(0.95 * all.length) - 1] as number;
      assert.equal(calls, all.length);
      assert.equal(maxMs, sorted.at(-1));
      assert.ok(Math.abs(meanMs - all.reduce((sum, ms) => sum + ms, 0) / all.length) < 0.001);
      assert.ok(p95Ms >= exact * 0.999_999 || exact <= 0.01, `${p95Ms} for ${exact}`);
      assert.ok(p95Ms <= Math.max(0.01, exact * 1.200_001), `${p95Ms} for ${exact}`);
    }),
  );
});
