import assert from "node:assert/strict";
import { test } from "node:test";
import { type ExplainedWorker, type ExplainFacts, explain, explainCauses, unfitOf } from "./explain.ts";
import type { MessageFacts } from "./explain-broker.ts";
import type { WorkerGate } from "./lane.ts";
import type { Pause } from "./pause.ts";

const pause: Pause = { kind: "job", name: "j", by: "ada", note: "a flood", at: 0, until: null, endedAt: null };
const worker: ExplainedWorker = {
  ...{
    id: "w1",
    name: "one",
    state: "ONLINE",
    deaf: false,
    unfit: null,
    pause: null,
    labels: {},
    held: 0,
    capacity: 4,
    unaskedMs: null,
  },
};
const told: MessageFacts = {
  ...{ told: true, awaySince: null, waiting: 3, consumers: 2, registered: 0 },
  ...{ waitingMax: 10, republished: 0, republishMax: 5 },
};
const facts: ExplainFacts = {
  ...{ state: "pending", worker: null, runAt: null, failures: 0, lastError: null, refusal: null },
  ...{ parentCancelled: false, job: "lab:a:b", jobGone: false, jobPause: null },
  ...{ labels: { gpu: "yes", rack: "7" }, checksum: "sha256:aa" },
  ...{
    queue: "default",
    queuePause: null,
    lanePaused: false,
    by: "workers",
    pushFailure: null,
    limit: null,
    message: null,
  },
  ...{ workers: [worker], workersTotal: 1, lastSeenAt: null, position: null },
};

const causes: readonly [cause: string, facts: Partial<ExplainFacts>][] = [
  ["ended", { state: "failed" }],
  ["running", { state: "running", worker: "w1" }],
  ["deferred", { state: "running" }],
  ["parent-cancelled", { parentCancelled: true, jobPause: pause }],
  ["payload-refused", { runAt: 5, refusal: "/a must be number", failures: 1 }],
  ["retry-wait", { runAt: 5, failures: 1, jobPause: pause }],
  ["not-before", { runAt: 5 }],
  ["job-gone", { jobGone: true, workers: [] }],
  ["job-paused", { jobPause: pause, queuePause: pause }],
  ["queue-paused", { queuePause: pause, workers: [] }],
  ["queue-paused", { lanePaused: true }],
  ["push-failing", { by: "target", workers: [], pushFailure: "503" }],
  ["push-failing", { by: "target", workers: [], pushFailure: "503", runAt: 5, failures: 1 }],
  ["limit", { limit: { maxRunning: 2, running: 2 } }],
  ["broker-away", { message: { ...told, awaySince: 7 } }],
  ["broker-full", { message: { ...told, told: false, waiting: 10 }, workers: [] }],
  ["message-lost", { message: { ...told, waiting: 0, republished: 5 } }],
  ["no-consumer", { message: { ...told, consumers: 0 }, workers: [] }],
  ["no-worker", { message: told, workers: [] }],
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
  ["broker-queue", { message: told }],
  ["broker-queue", { message: { ...told, consumers: 0, registered: 1 } }],
  ["broker-queue", { message: { ...told, waiting: null, consumers: null } }],
  ["not-asked", { workers: [{ ...worker, unaskedMs: 60_000 }], position: { position: 3, exact: true } }],
  ["in-line", { message: { ...told, told: false } }],
  ["in-line", { workers: [{ ...worker, unaskedMs: 59_999 }] }],
  ["in-line", { workers: [{ ...worker, unaskedMs: 60_000 }, worker], workersTotal: 2 }],
  ["in-line", { workers: [{ ...worker, unaskedMs: 60_000 }], workersTotal: 2 }],
  ["in-line", { position: { position: 3, exact: true } }],
  ["in-line", { by: "target", workers: [] }],
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
  assert.deepEqual(explain({ ...facts, workers, workersTotal: 4 }), {
    cause: "worker-full",
    sentence: "Of 3 workers of job 'lab:a:b' 2 (one, three) are full",
  });
});

test("a worker that could take it ends every other reason", () => {
  const workers = [{ ...worker, deaf: true }, worker];
  assert.deepEqual(explain({ ...facts, workers, workersTotal: 2, position: { position: 1_001, exact: false } }), {
    cause: "in-line",
    sentence: "It is number about 1001 in line",
  });
});

test("a pause says who, why and until when", () => {
  assert.equal(
    explain({ ...facts, jobPause: { ...pause, until: Date.UTC(2026, 10, 15, 20, 16, 21, 4) } }).sentence,
    "Job 'lab:a:b' is paused by ada until 2026-11-15 20:16:21 UTC: a flood",
  );
});

test("every cause has an example", () => {
  assert.deepEqual([...new Set(causes.map(([cause]) => cause))], [...explainCauses]);
});

const workers = (count: number, about: Partial<ExplainedWorker>): ExplainedWorker[] =>
  Array.from({ length: count }, (_, nth) => ({ ...worker, id: `w${nth + 1}`, name: null, ...about }));

const sentences: readonly [sentence: string, facts: Partial<ExplainFacts>][] = [
  ["Worker w1 has it, and has not started it yet", { state: "claimed", worker: "w1" }],
  ["A server has it", { state: "running", worker: "w1", by: "servers" }],
  ["The address it is pushed to has it", { state: "running", worker: "w1", by: "target" }],
  [
    "It failed 2 times (no disk) and waits for its next attempt at 1970-01-01 00:00:00 UTC",
    { runAt: 5, failures: 2, lastError: "no disk\nat line 7" },
  ],
  [
    "The only worker of job 'lab:a:b' (w1) does not take queue 'slow'",
    { workers: workers(1, { unfit: "queue" }), queue: "slow" },
  ],
  [
    "All 4 workers of job 'lab:a:b' (w1, w2, w3 and others) lack a label that it asks for: gpu=yes",
    { workers: workers(4, { unfit: "labels", labels: { gpu: "no", rack: "7" } }), workersTotal: 4 },
  ],
  [
    "The only worker of job 'lab:a:b' lacks a label that it asks for: gpu=yes, rack=7",
    { workers: workers(1, { unfit: "labels", id: null }) },
  ],
  [
    "At least 2 of 5000 workers of job 'lab:a:b' are draining",
    { workers: workers(2, { unfit: "draining", id: null }), workersTotal: 5_000 },
  ],
  ["The only worker of job 'lab:a:b' (w1) is paused by ada: a flood", { workers: workers(1, { pause }) }],
  [
    "Both workers of job 'lab:a:b' (w1, w2) are paused by ada: a flood",
    { workers: workers(2, { pause }), workersTotal: 2 },
  ],
  [
    "Both workers of job 'lab:a:b' (w1, w1) are paused by ada",
    { workers: [...workers(1, { pause }), ...workers(1, { pause: { ...pause, note: null } })], workersTotal: 2 },
  ],
  [
    "All 3 workers of job 'lab:a:b' (w1, w2, w1) are paused: a flood",
    {
      workers: [...workers(2, { pause }), ...workers(1, { pause: { ...pause, by: "eve", until: 7 } })],
      workersTotal: 3,
    },
  ],
  [
    "Both workers of job 'lab:a:b' (w1, w1) are paused",
    { workers: [...workers(1, { unfit: "paused" }), ...workers(1, { pause })], workersTotal: 2 },
  ],
  ["The only worker of job 'lab:a:b' (w1) is draining", { workers: workers(1, { pause, unfit: "draining" }) }],
  [
    "The only worker of job 'lab:a:b' (w1) could take it, and has not asked for work for 3 min",
    { workers: workers(1, { unaskedMs: 200_000 }) },
  ],
  [
    "The only worker of job 'lab:a:b' could take it, and has not asked for work for 2 h; it holds 1 task",
    { workers: workers(1, { unaskedMs: 7_500_000, held: 1, id: null }) },
  ],
  [
    "Of 3 workers of job 'lab:a:b' 2 (w1, w2) could take it, and have not asked for work for 1 min; they hold 4 tasks",
    {
      workers: [...workers(2, { unaskedMs: 60_000, held: 2 }), ...workers(1, { unfit: "queue", unaskedMs: 0 })],
      workersTotal: 3,
    },
  ],
  ["No worker serves job 'lab:a:b'; the last was seen at 1970-01-01 00:00:00 UTC", { workers: [], lastSeenAt: 7 }],
];

for (const [sentence, about] of sentences) {
  test(`it says: ${sentence}`, () => {
    assert.equal(explain({ ...facts, ...about }).sentence, sentence);
  });
}

test("what a worker lacks for good comes before what may pass", () => {
  const lane = { job: "lab:a:b", queue: "default", labels: { gpu: "yes" }, checksum: "" };
  const job = { checksum: "sha256:aa", deleted: false, push: false };
  const gate: WorkerGate = {
    ...{ profile: "work", jobs: new Map([["lab:a:b", null]]), queues: null, labels: { gpu: "yes" } },
    ...{ paused: true, draining: true },
  };
  const unfit = (about: Partial<WorkerGate>) => unfitOf({ ...gate, ...about }, lane, job);
  assert.equal(unfit({ labels: {} }), "labels");
  assert.equal(unfit({ queues: new Set(["slow"]) }), "queue");
  assert.equal(unfit({ jobs: new Map([["lab:a:b", "sha256:bb"]]), labels: {} }), "checksum");
  assert.equal(unfit({}), "draining");
  assert.equal(unfit({ draining: false }), "paused");
  assert.equal(unfit({ draining: false, paused: false }), null);
});
