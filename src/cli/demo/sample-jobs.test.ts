import assert from "node:assert/strict";
import { test } from "node:test";
import { fateOf, sampleJobs, sampleTask } from "./sample-jobs.ts";

const now = 1_000;

test("of every hundred tasks, each kind has its share", () => {
  const fates = Array.from({ length: 100 }, (_, number) => sampleTask(number, now).fate);
  const shares = Object.fromEntries(
    ["smooth", "progress", "retry", "hopeless", "delayed", "dropped", "overtaken"].map((fate) => [
      fate,
      fates.filter((each) => each === fate).length,
    ]),
  );
  assert.deepEqual(shares, { smooth: 81, progress: 5, retry: 5, hopeless: 1, delayed: 5, dropped: 2, overtaken: 1 });
});

test("a task is for a job that exists, says how it will go, and waits only if that is its lot", () => {
  const names = sampleJobs.map(({ job }) => job);
  for (let number = 0; number < 100; number += 1) {
    const { fate, request } = sampleTask(number, now);
    assert.ok(names.includes(request.job));
    assert.equal(fateOf(request.payload), fate);
    assert.equal(request.runAt !== null, fate === "delayed" || fate === "dropped");
  }
});

test("the same number is the same task, in every demo", () => {
  assert.deepEqual(sampleTask(12_345, now), sampleTask(12_345, now));
});
