import assert from "node:assert/strict";
import { test } from "node:test";
import { aRow } from "../testing/builders.ts";
import { worldStart } from "../testing/manual-clock.ts";
import { noChildren } from "./family.ts";
import { transition } from "./task.ts";

const around = { now: worldStart + 1, policy: {}, profile: null, jitter: 0.5 };
const deferred = aRow({ state: "running", startedAt: worldStart, children: { ...noChildren, total: 2 } });

test("the count that ends a parent says how, and no other does", () => {
  const one = { type: "count", done: 1, failed: 0 } as const;
  const first = transition(deferred, one, around);
  assert.deepEqual(JSON.parse(first.event.data as string), { total: 2, done: 1, failed: 0 });
  const last = transition(first.next, one, around);
  assert.deepEqual(JSON.parse(last.event.data as string), { total: 2, done: 2, failed: 0, via: "last_batch_stored" });
});

test("a deferral that finds everything counted ends the task as a deferral, not as a count", () => {
  const early = aRow({ state: "running", worker: "w", startedAt: worldStart, children: { ...noChildren, done: 2 } });
  const { event, outcome } = transition(early, { type: "defer", total: 2 }, around);
  assert.equal(outcome?.state, "completed");
  assert.deepEqual(JSON.parse(event.data as string), { total: 2, done: 2, failed: 0 });
});

test("a parent keeps to its end why messages failed, and whether some had no index", () => {
  const count = { type: "count", done: 0, failed: 2, unindexed: true, errors: ["no space"] } as const;
  const { next, outcome } = transition(deferred, count, around);
  assert.equal(outcome?.error?.code, "AllChildrenFailed");
  assert.deepEqual([next.children?.errors, next.children?.unindexed], [["no space"], true]);
});
