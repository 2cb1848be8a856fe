import assert from "node:assert/strict";
import { test } from "node:test";
import { triesAfter, untried } from "./message-tries.ts";
import type { EventType } from "./task-event.ts";

const count = (...types: readonly (EventType | "by ada")[]): number =>
  types.reduce(
    (tries, type, at) =>
      triesAfter(
        tries,
        type === "by ada" ? { type: "task.republished", at, data: '{"actor":"ada"}' } : { type, at, data: null },
      ),
    untried,
  ).count;

test("a task was told of again so often since somebody last had it, or a person told of it", () => {
  const again = "task.republished";
  assert.equal(count("task.submitted"), 0);
  assert.equal(count("task.submitted", again, again), 2);
  assert.equal(count("task.submitted", again, "task.claimed", "task.released", again), 1);
  assert.equal(count("task.submitted", again, "task.assigned", "task.retried"), 0);
  assert.equal(count("task.submitted", again, again, "by ada", again), 1);
});
