import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../core/problem.ts";
import { faultText, isBug } from "./fault-text.ts";

test("a fault is one line", () => {
  assert.equal(faultText(new Error("first\n  second")), "first second");
});

test("a fault has no passwords", () => {
  assert.equal(faultText(new Error("no way to postgres://me:hunter2@host/db")), "no way to postgres://me:***@host/db");
});

test("a name whose addresses all failed is told address by address", () => {
  const error = new AggregateError([
    new Error("connect ECONNREFUSED ::1"),
    new Error("connect ECONNREFUSED 127.0.0.1"),
  ]);
  assert.equal(faultText(error), "connect ECONNREFUSED ::1; connect ECONNREFUSED 127.0.0.1");
});

test("an error without a word is called by its name", () => {
  assert.equal(faultText(new RangeError()), "RangeError");
});

test("what the machine or its user did is no bug, a slip of ours is", () => {
  assert.equal(isBug(new Error("disk full")), false);
  assert.equal(isBug(new Problem("store-unavailable", "away")), false);
  assert.equal(isBug(new TypeError("undefined is not a function")), true);
  assert.equal(isBug("thrown text"), true);
});
