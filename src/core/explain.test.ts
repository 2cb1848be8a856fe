import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExplainedWorker, type ExplainFacts, explain } from "./explain.ts";
import type { Pause } from "./pause.ts";

const pause: Pause = { kind: "job", name: "j", by: "ada", note: "a flood", at: 0, until: null, endedAt: null };
const worker: ExplainedWorker = {
  ...{ id: "w1", name: "one", state: "ONLINE", deaf: false, unfit: null, pause: null, held: 0, capacity: 4 },
};
const facts: ExplainFacts = {
  ...{ now: 0, state: "pending", worker: null, runAt: null, failures: 0, refused: false, parentCancelled: false },
  ...{ job: "lab:a:b", jobGone: false, jobPause: null, queue: "default", queuePause: null },
  ...{ pushFailure: null, isPush: false, limit: null, workers: [worker], lastSeenAt: null, position: null },
};

const causes: readonly [cause: string, facts: Partial<ExplainFacts>][] = [
  ["ended", { state: "failed" }],
  ["running", { state: "running", worker: "w1" }],
  ["deferred", { state: "running" }],
  ["parent-cancelled", { parentCancelled: true, jobPause: pause }],
  ["payload-refused", { runAt: 5, refused: true, failures: 1 }],
  ["retry-wait", { runAt: 5, failures: 1, jobPause: pause }],
  ["not-before", { runAt: 5 }],
  ["job-gone", { jobGone: true, workers: [] }],
  ["job-paused", { jobPause: pause, queuePause: pause }],
  ["queue-paused", { queuePause: pause, workers: [] }],
  ["push-failing", { isPush: true, workers: [], pushFailure: "503" }],
  ["limit", { limit: { maxRunning: 2, running: 2 } }],
  ["no-worker", { workers: [] }],
  ["no-worker", { workers: [{ ...worker, state: "OFFLINE" }], lastSeenAt: 7 }],
  ["worker-checksum", { workers: [{ ...worker, unfit: "checksum", held: 4 }] }],
  ["worker-labels", { workers: [{ ...worker, unfit: "labels" }] }],
  ["worker-queue", { workers: [{ ...worker, unfit: "queue" }] }],
  ["worker-unreachable", { workers: [{ ...worker, state: "UNREACHABLE" }] }],
  ["worker-deaf", { workers: [{ ...worker, deaf: true }] }],
  ["worker-draining", { workers: [{ ...worker, unfit: "draining" }] }],
  ["worker-paused", { workers: [{ ...worker, pause }] }],
  ["worker-full", { workers: [{ ...worker, held: 4 }] }],
  ["in-line", { position: { position: 3, exact: true } }],
  ["in-line", { isPush: true, workers: [] }],
];

for (const [cause, about] of causes) {
  test(`the cause is ${cause} where ${JSON.stringify(about)}`, () => {
    assert.equal(explain({ ...facts, ...about }).cause, cause);
  });
}

test("where workers have reasons of their own, those that are nearest to being able count", () => {
  const workers = [
    { ...worker, id: "w1", name: null, unfit: "checksum" as const },
    { ...worker, id: "w2", held: 4 },
    { ...worker, id: "w3", name: "three", held: 9 },
    { ...worker, id: "w4", state: "OFFLINE" as const },
  ];
  assert.deepEqual(explain({ ...facts, workers }), {
    cause: "worker-full",
    sentence: "3 workers serve job 'lab:a:b', 2 of 3 full (one, three)",
  });
});

test("a worker that could take it ends every other reason", () => {
  const workers = [{ ...worker, deaf: true }, worker];
  assert.deepEqual(explain({ ...facts, workers, position: { position: 1_001, exact: false } }), {
    cause: "in-line",
    sentence: "It is number about 1001 in line",
  });
});

test("a pause says who, why and until when", () => {
  assert.equal(
    explain({ ...facts, jobPause: { ...pause, until: 0 } }).sentence,
    "Job 'lab:a:b' is paused by ada until 1970-01-01T00:00:00.000Z: a flood",
  );
});
