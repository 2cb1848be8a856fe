import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  grantsRequeue,
  grantsRetry,
  mergePolicies,
  parsePolicy,
  policyText,
  refusedDelayMs,
  retryDelayMs,
} from "./policy.ts";

test("a task's own words go before its job's, retry by retry", () => {
  const job = { timeoutMs: 1, stallMs: 2, retry: { maxAttempts: 5, baseMs: 10 } };
  const task = { timeoutMs: 9, retry: { baseMs: 20, capMs: 30 } };
  assert.deepEqual(mergePolicies(task, job), {
    ...{ timeoutMs: 9, stallMs: 2, retry: { maxAttempts: 5, baseMs: 20, capMs: 30 } },
  });
  assert.deepEqual(mergePolicies({ stallMs: 3 }, job), { ...job, stallMs: 3 });
  assert.deepEqual(mergePolicies({ retry: { maxAttempts: 2 } }, { stallMs: 1 }), {
    ...{ stallMs: 1, retry: { maxAttempts: 2 } },
  });
});

test("where one of them says nothing, the other is heard", () => {
  assert.deepEqual(mergePolicies(null, { stallMs: 1 }), { stallMs: 1 });
  assert.deepEqual(mergePolicies({ stallMs: 1 }, null), { stallMs: 1 });
  assert.deepEqual(mergePolicies(null, null), {});
});

test("retries wait twice as long each time, up to the cap", () => {
  const policy = { retry: { baseMs: 100, capMs: 1_000 } };
  const waits = [1, 2, 3, 4, 5, 60, 1_000_000].map((failures) => retryDelayMs(policy, failures, 0.5));
  assert.deepEqual(waits, [100, 200, 400, 800, 1_000, 1_000, 1_000]);
  assert.equal(retryDelayMs({}, 1, 0.5), 1_000);
  assert.equal(retryDelayMs({}, 99, 0.5), 600_000);
});

test("a retry's wait is spread by at most three tenths", () => {
  assert.equal(retryDelayMs({}, 1, 0), 700);
  assert.equal(retryDelayMs({}, 1, 0.999_999), 1_300);
  const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const holds = fc.property(jitter, fc.integer({ min: 1, max: 1_000 }), (chance, failures) => {
    const wait = retryDelayMs({}, failures, chance);
    const exact = retryDelayMs({}, failures, 0.5);
    assert(Number.isInteger(wait) && wait >= exact * 0.7 - 1 && wait <= exact * 1.3 + 1);
  });
  fc.assert(holds);
});

test("another try is granted while there were fewer failures than attempts allowed", () => {
  const policy = { retry: { maxAttempts: 3 } };
  assert.deepEqual(
    [1, 2, 3, 4].map((failures) => grantsRetry(policy, failures)),
    [true, true, false, false],
  );
  assert.equal(grantsRetry({}, 1), false, "one attempt unless told otherwise");
  assert.equal(grantsRetry({ retry: { baseMs: 5 } }, 1), false);
});

test("a lost task is requeued three times unless told otherwise", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((losses) => grantsRequeue({}, losses)),
    [true, true, true, false],
  );
  assert.equal(grantsRequeue({ maxRequeues: 0 }, 0), false);
  assert.equal(grantsRequeue({ maxRequeues: 5 }, 4), true);
});

test("the empty policy costs no text, and every other comes back from its text", () => {
  assert.equal(policyText({}), null);
  assert.deepEqual(parsePolicy(null), {});
  const policy = { timeoutMs: 1, retry: { maxAttempts: 2 }, onWorkerLost: "fail", logs: true } as const;
  assert.deepEqual(parsePolicy(policyText(policy)), policy);
});

test("a payload that a new spec refuses is looked at after five seconds, then twice as long, at most five minutes", () => {
  assert.deepEqual([1, 2, 3, 7, 60, 5_000].map(refusedDelayMs), [5_000, 10_000, 20_000, 300_000, 300_000, 300_000]);
});
