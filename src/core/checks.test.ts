import assert from "node:assert/strict";
import { test } from "node:test";
import { aRow } from "../testing/builders.ts";
import {
  checkCount,
  checkDuration,
  checkId,
  checkMove,
  checkTime,
  countMax,
  durationMsMax,
  timeMax,
} from "./checks.ts";
import { Problem } from "./problem.ts";

function refuses(pointer: string) {
  return (error: unknown) =>
    error instanceof Problem && error.code === "invalid-request" && error.errors[0]?.pointer === pointer;
}

const neverIntegers = [0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300];

test("counts, durations and times are integers within what every store can keep", () => {
  for (const [check, most] of [
    [checkCount, countMax],
    [checkDuration, durationMsMax],
    [checkTime, timeMax],
  ] as const) {
    for (const value of [0, 1, most]) check("/x", value);
    for (const value of [...neverIntegers, most + 1])
      assert.throws(() => check("/x", value), refuses("/x"), `${value}`);
  }
  assert.throws(() => checkCount("/limit", 0, 1), /\/limit must be an integer from 1 to 2147483647/);
});

test("the longest duration from now is still a time", () => {
  assert(Date.UTC(2100, 0) + durationMsMax < timeMax);
  assert.equal(new Date(timeMax).toISOString(), "9999-12-31T23:59:59.999Z");
});

test("an id is a UUID as we write them", () => {
  checkId("/parent_id", aRow().id);
  for (const id of ["", "x", aRow().id.toUpperCase(), `${aRow().id},`]) {
    assert.throws(() => checkId("/parent_id", id), refuses("/parent_id"));
  }
});

test("the numbers of a move are checked, each by its name", () => {
  for (const bad of neverIntegers) {
    const progress = { current: 1, total: bad, message: null };
    assert.throws(() => checkMove({ type: "release", reason: "x", delayMs: bad }, 10), refuses("/delayMs"));
    assert.throws(() => checkMove({ type: "defer", total: bad }, 10), refuses("/total"));
    assert.throws(() => checkMove({ type: "progress", progress }, 10), refuses("/total"));
    assert.throws(
      () => checkMove({ type: "progress", progress: { ...progress, current: bad } }, 10),
      refuses("/current"),
    );
  }
  checkMove({ type: "release", reason: "x" }, 10);
  checkMove({ type: "progress", progress: { current: 0, total: null, message: null } }, 10);
});

test("a move is refused when one of its texts is too long, measured in bytes", () => {
  const tooLarge = (error: unknown) => error instanceof Problem && error.code === "payload-too-large";
  const failure = { message: "", code: null, details: null };
  for (const text of ["01234567890", "ééééé!"]) {
    assert.throws(() => checkMove({ type: "complete", result: text }, 10), tooLarge);
    assert.throws(() => checkMove({ type: "complete", result: null, note: text }, 10), tooLarge);
    assert.throws(() => checkMove({ type: "fail", error: { ...failure, message: text } }, 10), tooLarge);
    assert.throws(() => checkMove({ type: "fail", error: { ...failure, details: text } }, 10), tooLarge);
    assert.throws(() => checkMove({ type: "cancel", reason: null, note: text }, 10), tooLarge);
    assert.throws(() => checkMove({ type: "release", reason: "x", checkpoint: text }, 10), tooLarge);
  }
  checkMove({ type: "complete", result: "ééééé", note: "0123456789" }, 10);
});
