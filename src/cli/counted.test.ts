import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, grouped } from "./counted.ts";

test("one is one, all others are many", () => {
  assert.equal(counted(1, "fault"), "1 fault");
  assert.equal(counted(0, "fault"), "0 faults");
  assert.equal(counted(12_345, "task"), "12,345 tasks");
});

test("numbers are whole", () => {
  assert.equal(grouped(1_234.5), "1,235");
});
