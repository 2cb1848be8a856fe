import assert from "node:assert/strict";
import { test } from "node:test";
import { deafMs } from "../../core/credit.ts";
import { echoed, hearingTest, isDeaf, nextNonce } from "./hearing-test.ts";

const second = 1_000;

test("however long a worker is deaf, little is kept of it, and what it echoes last ends it", () => {
  const hearing = hearingTest();
  let [now, nonce] = [0, 0];
  for (; now < 1_000 * second; now += second) nonce = nextNonce(hearing, now);
  assert.equal(isDeaf(hearing, now, now), true);
  assert.ok(hearing.waiting.length <= 100, `${hearing.waiting.length} are kept`);
  for (const never of [nonce + 1, -1, 1]) echoed(hearing, never);
  assert.equal(isDeaf(hearing, now, now), true);
  echoed(hearing, nonce);
  assert.equal(isDeaf(hearing, now, now), false);
});

test("a number that is echoed stands for those before it, and not for those after", () => {
  const hearing = hearingTest();
  const first = nextNonce(hearing, 0);
  nextNonce(hearing, second);
  echoed(hearing, first);
  assert.equal(isDeaf(hearing, deafMs, deafMs), false);
  assert.equal(isDeaf(hearing, second + deafMs, second + deafMs), true);
});

test("a worker from whom nothing was heard since is not deaf but silent", () => {
  const hearing = hearingTest();
  nextNonce(hearing, 0);
  assert.equal(isDeaf(hearing, deafMs, 0), false);
});
