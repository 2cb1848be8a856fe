import assert from "node:assert/strict";
import { test } from "node:test";
import { checkReport } from "./checks.ts";
import { Problem } from "./problem.ts";
import { joinedReport, type ProgressReport, progressAfter } from "./progress.ts";

const before = { current: 3, total: 10, message: "on" };

test("a report says where a task is or how much further it got; what it leaves out stays", () => {
  assert.deepEqual(progressAfter(null, { current: 1 }), { current: 1, total: null, message: null });
  assert.deepEqual(progressAfter(null, { increment: 2, total: 4 }), { current: 2, total: 4, message: null });
  assert.deepEqual(progressAfter(before, { increment: 2 }), { current: 5, total: 10, message: "on" });
  assert.deepEqual(progressAfter(before, { current: 0, message: null }), { current: 0, total: 10, message: null });
});

test("two reports joined say what they said one after the other", () => {
  const reports: ProgressReport[] = [
    { current: 1 },
    { increment: 2 },
    { current: 4, total: 9 },
    { increment: 1, message: "far" },
    { increment: 3, total: null, message: null },
  ];
  for (const first of reports) {
    for (const then of reports) {
      for (const start of [null, before]) {
        assert.deepEqual(
          progressAfter(start, joinedReport(first, then)),
          progressAfter(progressAfter(start, first), then),
          `${JSON.stringify(first)} and ${JSON.stringify(then)}`,
        );
      }
    }
  }
});

test("a report with both or neither of current and increment is refused, and so are steps beyond what a number holds", () => {
  for (const bad of [{}, { total: 3 }, { current: 1, increment: 1 }, { increment: -1 }, { increment: 0.5 }]) {
    assert.throws(() => checkReport(bad), Problem);
  }
  assert.throws(() => progressAfter(before, { increment: Number.MAX_SAFE_INTEGER }), Problem);
  assert.throws(() => joinedReport({ increment: 1 }, { increment: Number.MAX_SAFE_INTEGER }), Problem);
});
