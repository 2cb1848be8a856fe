import assert from "node:assert/strict";
import { test } from "node:test";
import { checkHolder, isLeaseToken, laterLease, leaseToken, meantHolder } from "./lease.ts";
import { Problem } from "./problem.ts";

const holder = { worker: "worker-9", attempt: 3 };

test("a lease token is computed from the task, the attempt and the worker", () => {
  // printf 'task-1\n3\nworker-9' | openssl dgst -sha256 -hmac secret -binary | base64url
  assert.equal(leaseToken("secret", "task-1", holder), "EYLmrexBR14BLdQH0_NcSsOs3aJNuVRWl9XMdLJ7E0Y");
});

test("a token fits the one attempt it was made for", () => {
  const token = leaseToken("secret", "t", holder);
  assert.equal(isLeaseToken("secret", "t", holder, token), true);
  assert.equal(isLeaseToken("secret", "t", { ...holder, attempt: 4 }, token), false);
  assert.equal(isLeaseToken("secret", "t", { ...holder, worker: "w" }, token), false);
  assert.equal(isLeaseToken("secret", "u", holder, token), false);
  assert.equal(isLeaseToken("other", "t", holder, token), false);
});

test("what is no token at all is refused and does not throw", () => {
  const token = leaseToken("secret", "t", holder);
  for (const text of ["", token.slice(1), `${token}=`, "é".repeat(22), token.toUpperCase()]) {
    assert.equal(isLeaseToken("secret", "t", holder, text), false);
  }
});

test("a task is in the hands of its worker at its attempt, and in no others", () => {
  const task = { id: "t", worker: "worker-9", attempt: 3 };
  checkHolder(task, holder);
  const isLost = (error: unknown) => error instanceof Problem && error.code === "lease-lost";
  assert.throws(() => checkHolder({ ...task, attempt: 4 }, holder), isLost);
  assert.throws(() => checkHolder({ ...task, worker: "w" }, holder), isLost);
  assert.throws(() => checkHolder({ ...task, worker: null }, holder), isLost);
});

test("a lease never ends earlier than it did while its task stays in the same hands", () => {
  const before = { ...holder, leasedUntil: 70 };
  assert.equal(laterLease(before, { ...before, leasedUntil: 60 }), 70);
  assert.equal(laterLease(before, { ...before, leasedUntil: 80 }), 80);
  assert.equal(laterLease(before, { ...before, leasedUntil: null }), null, "it may be taken away");
  assert.equal(laterLease({ ...before, leasedUntil: null }, before), 70);
  assert.equal(laterLease(before, { ...before, attempt: 4, leasedUntil: 60 }), 60);
  assert.equal(laterLease(before, { ...before, worker: "w", leasedUntil: 60 }), 60);
});

test("without a word the owner of a holder is believed while the task has had one holder, and never after", () => {
  const first = { worker: "w", attempt: 1 };
  const second = { worker: "w", attempt: 2 };
  const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;
  assert.deepEqual(meantHolder("t", first, {}), first);
  assert.throws(() => meantHolder("t", second, {}), refused("lease-token-required"));
  assert.deepEqual(meantHolder("t", second, { attempt: 1 }), first, "he is fenced by the attempt he names");
  assert.throws(() => meantHolder("t", first, { leaseToken: "of nobody" }), refused("lease-lost"));
});
