import assert from "node:assert/strict";
import { test } from "node:test";
import { actProgress, actTitle } from "../../dashboard/src/pages/tasks/act-text.ts";

const exactly = (count: number) => ({ count, exact: true });
const nothing = { forbidden: 0, over: 0, open: 0, retried: 0, gone: 0 };

test("whoever may act on all that match is told how many there are", () => {
  assert.equal(actTitle("cancel", exactly(1), null), "Cancel 1 task");
  assert.equal(actTitle("retry", { count: 1_000, exact: false }, null), "Retry more than 1,000 tasks");
  assert.equal(actTitle("cancel", exactly(5), exactly(5)), "Cancel 5 tasks");
});

test("whoever may act on some of them is told how many these are", () => {
  assert.equal(actTitle("cancel", exactly(5), exactly(2)), "Cancel 2 of 5 tasks");
  assert.equal(actTitle("cancel", { count: 900, exact: false }, exactly(2)), "Cancel 2 of more than 900 tasks");
});

test("an act says what it has done, and why it has left tasks out", () => {
  assert.equal(actProgress({ done: 5, skipped: 0, skips: nothing, failed: 0 }), "5 done");
  assert.equal(
    actProgress({ done: 2, skipped: 3, skips: { ...nothing, forbidden: 3 }, failed: 1 }),
    "2 done, 3 left out (not permitted), 1 refusal",
  );
  assert.equal(
    actProgress({ done: 0, skipped: 4, skips: { ...nothing, forbidden: 3, over: 1 }, failed: 0 }),
    "0 done, 4 left out (3 not permitted, 1 over already)",
  );
});
