import assert from "node:assert/strict";
import { test } from "node:test";
import { childCount, childrenAfter, childrenVerdict, mayHaveChildren, noChildren } from "./family.ts";
import type { OnChildFailure } from "./policy.ts";

function verdict(done: number, failed: number, total: number | null, onChildFailure?: OnChildFailure): string | null {
  const end = childrenVerdict(
    { ...noChildren, total, done, failed },
    onChildFailure === undefined ? {} : { onChildFailure },
  );
  return end === null ? null : (end.error?.code ?? end.state);
}

test("a parent that has not deferred has no verdict, however its children fare", () => {
  assert.equal(childrenVerdict(noChildren, {}), null);
  assert.equal(verdict(5, 5, null), null);
});

test("a parent is completed when all its children are, and at once when it waits for none", () => {
  assert.deepEqual([verdict(0, 0, 2), verdict(1, 0, 2), verdict(2, 0, 2)], [null, null, "completed"]);
  assert.equal(verdict(0, 0, 0), "completed");
  assert.equal(verdict(3, 0, 2), "completed");
});

test("a parent whose children all failed fails at once, under every rule", () => {
  for (const rule of ["stall", "failWhenSettled", "failFast"] as const) {
    assert.equal(verdict(0, 2, 2, rule), "AllChildrenFailed");
  }
});

test("some failed children fail their parent when the rule says so", () => {
  assert.deepEqual([verdict(0, 1, 3), verdict(1, 1, 3), verdict(2, 1, 3)], [null, null, "PartialChildFailure"]);
  assert.equal(verdict(0, 1, 3, "failFast"), "PartialChildFailure");
  assert.deepEqual([verdict(0, 1, 3, "stall"), verdict(2, 1, 3, "stall")], [null, null]);
});

test("what was counted closes a parent only when no child is open, unless it fails fast", () => {
  const waits = (done: number, failed: number, onChildFailure: OnChildFailure) =>
    childrenVerdict({ ...noChildren, total: 2, done, failed }, { onChildFailure }, () => true) === null;
  assert.deepEqual(
    [waits(2, 0, "failWhenSettled"), waits(1, 1, "failWhenSettled"), waits(0, 2, "stall")],
    [...[true, true, true]],
  );
  assert.deepEqual([waits(2, 0, "failFast"), waits(0, 1, "failFast"), waits(0, 2, "failFast")], [true, false, false]);
});

test("open children are looked for only when what was counted would close the parent", () => {
  const never = (): boolean => assert.fail("nobody needs to know");
  assert.equal(childrenVerdict({ ...noChildren, done: 5 }, {}, never), null);
  assert.equal(childrenVerdict({ ...noChildren, total: 3, done: 1, failed: 1 }, {}, never), null);
});

test("a cancelled child did not do its part", () => {
  assert.deepEqual(childCount("completed"), { done: 1, failed: 0 });
  assert.deepEqual(childCount("failed"), { done: 0, failed: 1 });
  assert.deepEqual(childCount("cancelled"), { done: 0, failed: 1 });
});

test("only an open task may have children", () => {
  const states = ["pending", "claimed", "running", "completed", "failed", "cancelled"] as const;
  assert.deepEqual(
    states.map((state) => mayHaveChildren({ state })),
    [true, true, true, false, false, false],
  );
  assert.equal(mayHaveChildren(undefined), false);
});

test("a parent keeps the first three reasons that differ, and says once that something had no index", () => {
  const one = childrenAfter(noChildren, { done: 0, failed: 3, errors: ["a", "a", ""] });
  assert.deepEqual([one.failed, one.errors, one.unindexed], [3, ["a"], undefined]);
  const more = childrenAfter(one, { done: 1, failed: 3, unindexed: true, errors: ["b", "c", "d"] });
  assert.deepEqual([more.done, more.errors, more.unindexed], [1, ["a", "b", "c"], true]);
  const later = childrenAfter(more, { done: 1, failed: 0 });
  assert.deepEqual([later.done, later.errors, later.unindexed], [2, ["a", "b", "c"], true]);
});

test("a reason is kept as far as it is worth reading", () => {
  const { errors } = childrenAfter(noChildren, { done: 0, failed: 1, errors: ["x".repeat(10_000)] });
  assert.equal(errors?.[0]?.length, 500);
});
