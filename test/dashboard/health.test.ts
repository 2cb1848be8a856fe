import assert from "node:assert/strict";
import { test } from "node:test";
import { largestFirst, rowsOf } from "../../dashboard/src/pages/health/tables.ts";

test("a table that SQLite does not count to its end is among the largest, and said to be", () => {
  const job = { name: "job", rows: 40, bytes: null };
  const task = { name: "task", rows: null, bytes: null };
  assert.deepEqual(largestFirst([job, task]), [task, job]);
  assert.deepEqual([task, job].map(rowsOf), ["over 10,000", "40"]);
});

test("where a database knows how large its tables are, that counts", () => {
  const small = { name: "pause", rows: null, bytes: 8_192 };
  const large = { name: "task_event", rows: 9, bytes: 2 ** 30 };
  assert.deepEqual(largestFirst([small, large]), [large, small]);
  assert.deepEqual([small, large].map(rowsOf), ["–", "9"]);
});
