import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { simulate } from "../testing/simulation/simulate.ts";
import { runs } from "../testing/simulation/steps.ts";

test("whatever two servers are asked, and however they fall over, every accepted task ends once, and its history says how", async (t) => {
  const seed = fc.sample(fc.noBias(fc.integer()), 1)[0] as number;
  let played = 0;
  const property = fc.asyncProperty(runs(150), async (run) => {
    played += 1;
    assert.deepEqual(await simulate(run), []);
  });
  await fc.assert(property, { seed, numRuns: 500, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false });
  t.diagnostic(`${played} runs, seed ${seed}`);
});
