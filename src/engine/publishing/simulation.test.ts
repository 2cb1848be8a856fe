import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { brokerRuns } from "../../testing/simulation/broker-steps.ts";
import { brokered } from "../../testing/simulation/brokered.ts";

test("whatever broker and servers lose, double or forget, every task is told of until it ends, and every message is sent", async (t) => {
  const seed = fc.sample(fc.noBias(fc.integer()), 1)[0] as number;
  let played = 0;
  const property = fc.asyncProperty(brokerRuns, async (run) => {
    played += 1;
    assert.deepEqual(await brokered(run), []);
  });
  await fc.assert(property, { seed, numRuns: 300, interruptAfterTimeLimit: 6_000, markInterruptAsFailure: false });
  // A slow and busy machine plays several times as many; a test that is interrupted before it has begun holds nothing.
  assert.ok(played >= 10, `${played} runs were played`);
  t.diagnostic(`${played} runs, seed ${seed}`);
});
