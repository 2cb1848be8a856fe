import assert from "node:assert/strict";
import { test } from "node:test";
import type { QueueMap } from "../../../protocol/amqp/topology.ts";
import { recordedLog } from "../../../testing/recorded-log.ts";
import { onwardQueues } from "./onward-queues.ts";

function checking(queues: QueueMap) {
  const log = recordedLog();
  return { log, check: onwardQueues({ queues, queue: "batch", kind: "operation", log }) };
}

test("messages are handed on to queues of operations, and to the one they came from", () => {
  const { log, check } = checking({ batch: "operation", write: "operation" });
  check("write");
  check("batch");
  assert.deepEqual(log.lines, []);
});

for (const queue of ["wirte", "jobs", "one", "constructor"]) {
  test(`no message is handed on to ${queue}, where nobody would take it for an operation`, () => {
    const { check } = checking({ batch: "operation", jobs: "job", one: "serial" });
    assert.throws(() => check(queue), {
      code: "deferral-refused",
      retryable: false,
      message: new RegExp(`'${queue}'`),
    });
  });
}

test("a map without the consumer's own queue does not know which there are: it warns of each once", () => {
  const { log, check } = checking({ jobs: "job", other: "operation" });
  for (const queue of ["write", "other", "write", "batch"]) check(queue);
  assert.deepEqual(
    log.lines.map(({ level, fields }) => [level, fields]),
    [["warn", { queue: "batch", onward: "write" }]],
  );
  assert.throws(() => check("jobs"), { code: "deferral-refused" });
});

test("a task leaves messages in queues of operations, and never in its own", () => {
  const queues = { jobs: "job", batch: "operation" } as const;
  for (const map of [queues, { batch: "operation" }] as const) {
    const check = onwardQueues({ queues: map, queue: "jobs", kind: "job", log: recordedLog() });
    check("batch");
    assert.throws(() => check("jobs"), { code: "deferral-refused" });
  }
});
