import assert from "node:assert/strict";
import { test } from "node:test";
import { attemptsOf } from "../../dashboard/src/pages/task/attempts.ts";
import { chaptersOf, type TaskEvent } from "../../dashboard/src/pages/task/history.ts";
import { eventTypes, refusedType } from "../../src/core/task-event.ts";

let version = 0;

function event(type: string, second: number, change: Partial<TaskEvent> = {}): TaskEvent {
  version += 1;
  const at = new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();
  return { version, at, type, status: "running", attempt: 1, worker_id: "w1", data: null, ...change };
}

function retried(): readonly TaskEvent[] {
  const runAt = Date.UTC(2026, 0, 31, 12, 0, 10);
  return [
    event("task.submitted", 0, { attempt: 0, worker_id: null }),
    event("task.claimed", 2),
    event("task.started", 3),
    event("task.progressed", 4, { data: { current: 1, total: 10 } }),
    event("task.progressed", 5, { data: { current: 4, total: 10, message: "rotating" } }),
    event("task.retried", 6, { status: "pending", data: { error: "no space", code: "NoSpace", runAt } }),
    event("task.assigned", 13, { attempt: 2, worker_id: "w2" }),
    event("task.completed", 20, { attempt: 2, worker_id: "w2", status: "completed" }),
    event(refusedType, 8, { version: null, times: 3, data: { move: "complete", code: "lease-lost" } }),
  ];
}

test("every kind of event has words of its own", () => {
  for (const type of [...eventTypes, refusedType]) {
    const title = chaptersOf([event(type, 0)])[0]?.steps[0]?.title ?? "";
    assert.notEqual(title, "");
    assert.ok(!title.includes("task."), `${type} is told as ${title}`);
  }
});

test("a loss says how many are granted, where there is a budget", () => {
  const lost = (status: string, data: object) =>
    chaptersOf([event("task.lost", 0, { status, data } as Partial<TaskEvent>)])[0]?.steps[0]?.detail;
  const budget = { reason: "session", priorRequeues: 1, maxRequeues: 3 };
  assert.equal(lost("pending", budget), "Its worker went silent · requeue 2 of 3");
  assert.equal(lost("failed", { ...budget, priorRequeues: 3 }), "Its worker went silent · after 3 requeues");
  assert.equal(lost("failed", { reason: "session" }), "Its worker went silent");
});

test("a history is told by attempts, progress once, and late words where they came", () => {
  const chapters = chaptersOf(retried());
  assert.deepEqual(
    chapters.map(({ attempt, steps }) => [attempt, steps.map(({ title }) => title)]),
    [
      [0, ["Submitted"]],
      [
        1,
        [
          "Claimed",
          "Started",
          "Progress",
          "Failed, to be tried again (NoSpace)",
          "A word that came too late was refused",
        ],
      ],
      [2, ["Assigned and started", "Completed"]],
    ],
  );
  const [, first] = chapters;
  assert.equal(first?.steps[2]?.detail, "4 of 10 · rotating");
  assert.equal(first?.steps[2]?.times, 2);
  assert.equal(first?.steps[3]?.detail, "no space\nIt waits for at least 4.0 s");
  assert.equal(first?.steps[4]?.detail, "It was completed: the lease had been lost by then");
  assert.equal(first?.steps[4]?.times, 3);
});

test("attempts stand side by side with how long each waited and ran, and how it ended", () => {
  const [first, second, ...others] = attemptsOf(retried());
  assert.deepEqual(others, []);
  assert.equal(first?.waitedMs, 2_000);
  assert.equal(first?.ending?.text, "failed");
  assert.equal(first?.error, "no space");
  assert.equal(first?.progress, "4 of 10 · rotating");
  // It was not to run before its time: only what came after that was waiting.
  assert.equal(second?.waitedMs, 3_000);
  assert.equal(second?.worker, "w2");
  assert.equal(second?.ending?.text, "completed");
});

test("an attempt that goes on has no end", () => {
  const [attempt] = attemptsOf(retried().slice(0, 3));
  assert.equal(attempt?.endedAt, null);
  assert.equal(attempt?.ending, null);
});
