import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckedDeferral } from "../deferral.ts";
import { runHandler } from "../run-handler.ts";
import { type Operation, OperationRegistry, OperationResult } from "./operation-registry.ts";
import { isOutOfMemory, memoryRetry } from "./out-of-memory.ts";
import { growingDelayMs } from "./retry-delay.ts";
import { RetryLaterError } from "./retry-later-error.ts";

async function run(operation: Operation, payload: object = {}) {
  const job = new OperationRegistry().register(operation).jobs().at(-1);
  assert.ok(job !== undefined);
  const said: unknown[] = [];
  const port = {
    progress: (...words: unknown[]) => void said.push(["progress", ...words]),
    log() {},
    alert() {},
    emit: (emission: unknown) => void said.push(emission),
    defer: (deferral: CheckedDeferral) => void said.push(deferral),
  };
  const facts = { id: "one", job: job.name, room: "@global", attempt: 1, payload };
  return { outcome: await runHandler(job, facts, port, new AbortController().signal), said };
}

test("“operations are resolved by name from the OperationRegistry”, ping is among them, and the same name twice is an error", () => {
  const registry = new OperationRegistry().register({ name: "load", execute: () => undefined });
  assert.deepEqual(registry.names(), ["ping", "load"]);
  assert.ok(registry.has("load") && !registry.has("store"));
  assert.throws(() => registry.register({ name: "load", execute: () => undefined }), /twice/);
  assert.deepEqual(
    registry.jobs().map(({ name }) => name),
    ["@global:operations:ping", "@global:operations:load"],
  );
});

test("“operations … receive only a database session and an emit callback”, and their payload with the id of its job", async () => {
  const { outcome, said } = await run(
    {
      name: "load",
      execute(session, payload, { emit }) {
        assert.equal(session, undefined);
        emit("load.read", "half way", { _progress_current: 5, _progress_total: 10 }, "warning");
        return { seen: payload };
      },
    },
    { file: "a" },
  );
  assert.deepEqual(outcome, { type: "completed", result: '{"seen":{"file":"a","_job_id":"one"}}' });
  assert.deepEqual(said, [
    ["progress", 5, 10, null],
    {
      ...{ level: "warn", event: "load.read", message: "half way" },
      fields: { _progress_current: 5, _progress_total: 10 },
    },
  ]);
});

test("an operation that returns deferred leaves its job to its messages", async () => {
  const { said } = await run({
    name: "dispatch",
    execute: () =>
      new OperationResult({
        ...{ deferred: true, progressCurrent: 0, progressTotal: 2 },
        publishOperations: [1, 2].map((batch) => ["q", { operation: "batch", payload: { batch } }]),
      }),
  });
  assert.deepEqual(said, [
    {
      total: 2,
      messages: [
        { queue: "q", operation: "batch", payload: '{"batch":1}' },
        { queue: "q", operation: "batch", payload: '{"batch":2}' },
      ],
    },
  ]);
});

test("“marks it as deferred”: without a total an operation waits for all messages and tasks that it names", async () => {
  const { said } = await run({
    name: "dispatch",
    execute: () =>
      new OperationResult({
        deferred: true,
        publishAfterCommit: [
          ["q", "two"],
          ["q", "three"],
        ],
        publishOperations: [["q", { operation: "batch", payload: {} }]],
      }),
  });
  assert.deepEqual(said, [{ total: 3, messages: [{ queue: "q", operation: "batch", payload: "{}" }] }]);
});

test("an operation that defers to nobody fails, and says what it lacks; a total of 0 is a success", async () => {
  const { outcome, said } = await run({ name: "dispatch", execute: () => new OperationResult({ deferred: true }) });
  assert.ok(outcome.type === "failed" && !outcome.retryable, JSON.stringify(outcome));
  assert.equal(outcome.code, "deferral-refused");
  assert.match(outcome.message, /give progressTotal, publishOperations or publishAfterCommit/);
  assert.deepEqual(said, []);
  const none = await run({
    name: "dispatch",
    execute: () => new OperationResult({ deferred: true, progressTotal: 0 }),
  });
  assert.equal(none.outcome.type, "completed");
  assert.deepEqual(none.said, [{ total: 0, messages: [] }]);
});

test("RetryLaterError means that an operation cannot run yet, not that it failed", async () => {
  const { outcome } = await run({
    name: "busy",
    execute() {
      throw new RetryLaterError("The GPU is taken");
    },
  });
  assert.deepEqual(outcome, { type: "released", delayMs: 60_000, checkpoint: null });
});

test("the delay of a RetryLater doubles with each that came before, up to ten minutes", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 99].map((before) => growingDelayMs(60_000, before)),
    [60_000, 120_000, 240_000, 480_000, 600_000, 600_000],
  );
  assert.equal(growingDelayMs(0, 5), 0);
});

test("out of memory is tried again five times, after 5 seconds, doubling up to 300, counted in a header", () => {
  assert.ok(isOutOfMemory({ message: "CUDA out of memory. Tried to allocate 2 GiB" }));
  assert.ok(isOutOfMemory({ message: "x", code: "ERR_WORKER_OUT_OF_MEMORY" }));
  assert.ok(!isOutOfMemory({ message: "no such protein" }));
  const waits: number[] = [];
  let headers: Readonly<Record<string, unknown>> = { mine: 1 };
  for (let retry = memoryRetry(headers); retry !== null; retry = memoryRetry(headers)) {
    waits.push(retry.delayMs / 1_000);
    headers = retry.headers;
  }
  assert.deepEqual(waits, [5, 10, 20, 40, 80]);
  assert.deepEqual(headers, { mine: 1, "x-oom-retry": 5 });
  assert.equal(memoryRetry({ "x-oom-retry": "nonsense" })?.tried, 1);
});
