import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { neverStarted, runsOf } from "./prefetch.ts";

test("of what a worker had, only what came after its first few cannot have been started", () => {
  const held = [5, 1, 3, 3].map((claimedAt, id) => ({ id, claimedAt }));
  assert.deepEqual(
    neverStarted(held, 2).map(({ id }) => id),
    [0],
  );
  assert.deepEqual(neverStarted(held, 4), []);
  assert.deepEqual(neverStarted([], 1), []);
});

test("never more are spared than the worker had beyond what it runs", () => {
  const times = fc.array(fc.nat(20), { maxLength: 30 });
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 40 }), (claimed, runs) => {
      const spared = neverStarted(
        claimed.map((claimedAt) => ({ claimedAt })),
        runs,
      );
      return spared.length <= Math.max(0, claimed.length - runs);
    }),
  );
});

test("a worker that says nothing of it keeps nothing beyond what it runs", () => {
  assert.equal(runsOf(null), null);
  assert.equal(runsOf('{"concurrency":4,"prefetch":0}'), null);
  assert.equal(runsOf('{"concurrency":4,"prefetch":8}'), 4);
  assert.equal(runsOf('{"concurrency":"x","prefetch":8}'), null);
});
