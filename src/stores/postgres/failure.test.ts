import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { asProblem, isConflict, isLost, LostConnection } from "./failure.ts";

const failure = (code: string, message = "said") => Object.assign(new Error(message), { code });

test("a connection that is gone is told from an answer", () => {
  for (const code of ["57P01", "57P02", "57P03", "08006", "08001", "53300", "ECONNRESET", "ECONNREFUSED", "EPIPE"]) {
    assert.equal(isLost(failure(code)), true, code);
  }
  for (const message of ["Connection terminated unexpectedly", "Connection terminated", "Query read timeout"]) {
    assert.equal(isLost(new Error(message)), true, message);
  }
  for (const code of ["23505", "22P02", "40P01", "42P01", "28P01", "3D000"]) assert.equal(isLost(failure(code)), false);
  assert.equal(isLost(new Problem("store-full", "Connection is fine")), false);
});

test("only what may succeed when it is run again is a conflict", () => {
  assert.deepEqual(
    ["40P01", "40001", "23505"].map((code) => isConflict(failure(code))),
    [true, true, false],
  );
});

test("callers are told that the store is full, or away, and everything else as it is", () => {
  const codeOf = (error: unknown) => (error instanceof Problem ? error.code : error);
  assert.equal(codeOf(asProblem(failure("53100", "No space left on device"))), "store-full");
  assert.equal(codeOf(asProblem(failure("25006"))), "store-full");
  assert.equal(codeOf(asProblem(new LostConnection(failure("57P01"), null))), "store-unavailable");
  assert.equal(codeOf(asProblem(failure("40P01"))), "store-unavailable");
  assert.equal(codeOf(asProblem(failure("57014"))), "store-unavailable");
  const bug = failure("42703");
  assert.equal(asProblem(bug), bug);
  const refusal = new Problem("task-open", "Task is open");
  assert.equal(asProblem(refusal), refusal);
  const cause = failure("53100");
  assert.equal((asProblem(cause) as Problem).cause, cause);
});
