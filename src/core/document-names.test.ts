import assert from "node:assert/strict";
import { test } from "node:test";
import { documentName, isOperation } from "./document-names.ts";
import { type EventType, eventTypes } from "./task-event.ts";
import type { TaskState } from "./task-row.ts";

/** Each event, the state it leads to, what it says, and its name in the document. */
const table: readonly [type: EventType, state: TaskState, said: object | null, name: string | null][] = [
  ["task.submitted", "pending", null, "job.created"],
  ["task.submitted", "pending", { runAt: 1 }, "job.created"],
  ["task.claimed", "claimed", null, null],
  ["task.assigned", "running", null, "job.started"],
  ["task.started", "running", null, "job.started"],
  ["task.completed", "completed", null, "job.succeeded"],
  ["task.failed", "failed", { error: "no", code: "ValueError" }, "job.failed"],
  ["task.failed", "failed", { error: "stopped", code: "WorkerShutdown" }, "job.failed"],
  ["task.retried", "pending", { error: "no" }, null],
  ["task.released", "pending", { reason: "retry_later", runAt: 1 }, "job.retry_later"],
  ["task.released", "pending", { reason: "shutdown" }, "job.requeued_on_shutdown"],
  ["task.released", "pending", { reason: "evicted" }, null],
  ["task.released", "pending", null, null],
  ["task.lost", "pending", { reason: "lease" }, "job.lease_expired_requeue"],
  ["task.lost", "failed", { reason: "lease", code: "lease_expired" }, "job.lease_expired"],
  ["task.timed_out", "failed", { code: "JobTimeout" }, "job.timeout"],
  ["task.deferred", "running", { total: 2, done: 0, failed: 0 }, "job.dispatched"],
  ["task.deferred", "completed", { total: 0, done: 0, failed: 0 }, "job.succeeded"],
  ["task.deferred", "failed", { total: 1, done: 0, failed: 1 }, "job.failed"],
  ["task.counted", "running", { total: 2, done: 1, failed: 0 }, null],
  ["task.counted", "completed", { total: 2, done: 2, failed: 0 }, "job.succeeded"],
  ["task.counted", "failed", { code: "AllChildrenFailed" }, "job.failed"],
  ["task.cancelled", "cancelled", { reason: "parent_cancelled" }, "job.cancelled"],
  ["task.progressed", "running", { current: 1 }, null],
  ["task.republished", "pending", null, "job.queue_stall_requeue"],
];

test("every event has the name that the document gives it, or none", () => {
  for (const [type, state, said, name] of table) {
    const data = said === null ? null : JSON.stringify(said);
    assert.equal(documentName({ type, state, data }), name, `${type} to ${state} ${data}`);
  }
});

test("the table knows every event, and every name of the document that is a task's", () => {
  assert.deepEqual(new Set(table.map(([type]) => type)), new Set(eventTypes));
  const names = new Set(table.map(([, , , name]) => name).filter((name) => name !== null));
  const documents = [
    ...["created", "started", "dispatched", "succeeded", "failed", "cancelled", "retry_later", "timeout"],
    ...["lease_expired_requeue", "lease_expired", "queue_stall_requeue", "requeued_on_shutdown"],
  ];
  assert.deepEqual(names, new Set(documents.map((name) => `job.${name}`)));
});

test("operations are the jobs of one category, in whatever room", () => {
  assert.equal(isOperation("@global:operations:ping"), true);
  assert.equal(isOperation("lab:operations:a:b"), true);
  for (const job of ["@global:modifiers:operations", "operations:ping", "ping"]) assert.equal(isOperation(job), false);
});
