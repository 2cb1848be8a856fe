import assert from "node:assert/strict";
import { test } from "node:test";
import { aSession } from "../testing/builders.ts";
import {
  beatIsWorthWriting,
  defaultProfiles,
  isLost,
  lateTickMs,
  nextChangeAt,
  profileNames,
  shortestWindowMs,
  untold,
  workerState,
} from "./liveness.ts";

const at = 1_000_000;
const session = aSession({ seenAt: at, unreachableMs: 100, lostMs: 300 });

test("a worker goes down the ladder by the age of its last beat; each threshold belongs to the later state", () => {
  const ages = [0, 99, 100, 299, 300, 1e9];
  const states = ages.map((age) => workerState(session, at + age));
  assert.deepEqual(states, ["ONLINE", "ONLINE", "UNREACHABLE", "UNREACHABLE", "OFFLINE", "OFFLINE"]);
});

test("a profile without a state between online and lost skips it", () => {
  const plain = { ...session, unreachableMs: null };
  assert.deepEqual(
    [299, 300].map((age) => workerState(plain, at + age)),
    ["ONLINE", "OFFLINE"],
  );
});

test("a fence makes a worker offline whatever its beats say, and a removal deletes it", () => {
  assert.equal(workerState({ ...session, lostAt: at }, at), "OFFLINE");
  assert.equal(workerState({ ...session, lostAt: at, removedAt: at }, at), "DELETED");
  assert.equal(workerState({ ...session, removedAt: at }, at), "DELETED");
});

test("a beat from a clock that is ahead makes a worker online", () => {
  assert.equal(workerState(session, at - 5_000), "ONLINE");
});

test("a session is lost from its threshold on, once", () => {
  assert.deepEqual(
    [299, 300, 301].map((age) => isLost(session, at + age)),
    [false, true, true],
  );
  assert.equal(isLost({ ...session, lostAt: at }, at + 300), false, "it was fenced already");
  assert.equal(isLost({ ...session, removedAt: at }, at + 300), false);
});

test("what a history has to say next is the state where it says another, as long as the session lives", () => {
  const told = { ...session, told: "UNREACHABLE" } as const;
  assert.deepEqual(
    [99, 100, 300].map((age) => untold(session, at + age)),
    [null, "UNREACHABLE", "UNREACHABLE"],
  );
  assert.deepEqual(
    [99, 100, 300].map((age) => untold(told, at + age)),
    ["ONLINE", null, null],
  );
  for (const over of [{ lostAt: at }, { removedAt: at }, { unreachableMs: null }]) {
    assert.equal(untold({ ...session, ...over }, at + 200), null);
  }
});

test("the next change of a session is its silence, then its end; one that is back has to be told of at once", () => {
  const told = { ...session, told: "UNREACHABLE" } as const;
  assert.equal(nextChangeAt(session, at), at + 100);
  assert.equal(nextChangeAt({ ...session, unreachableMs: null }, at), at + 300);
  assert.equal(nextChangeAt(told, at + 100), at + 300);
  assert.equal(nextChangeAt(told, at + 99), at);
});

test("a beat is worth writing when it is a quarter of the window old", () => {
  assert.deepEqual(
    [0, 74, 75].map((age) => beatIsWorthWriting(at, { unreachableMs: null, lostMs: 300 }, at + age)),
    [false, false, true],
  );
});

test("where a worker may be unreachable, a beat is worth writing when it is a twelfth of that old", () => {
  assert.deepEqual(
    [0, 9, 10].map((age) => beatIsWorthWriting(at, { unreachableMs: 120, lostMs: 300 }, at + age)),
    [false, false, true],
  );
});

test("the shortest window of a worker is the first after which something is said of it", () => {
  assert.equal(shortestWindowMs(session), 100);
  assert.equal(shortestWindowMs({ ...session, unreachableMs: null }), 300);
});

test("a tick is late by a fifth of the shortest window", () => {
  assert.equal(lateTickMs(defaultProfiles), 1_000);
});

test("the doors have the thresholds that are written down for them", () => {
  const ladder = profileNames.map((name) => {
    const { beatMs, unreachableMs, lostMs, removedMs, onWorkerLost, lostCode } = defaultProfiles[name];
    return [name, beatMs, unreachableMs, lostMs, removedMs, onWorkerLost, lostCode];
  });
  assert.deepEqual(ladder, [
    ["rest", 30_000, null, 60_000, 0, "fail", "worker_lost"],
    ["fleet", 20_000, 120_000, 360_000, 86_400_000, "fail", "WORKER_OFFLINE"],
    ["work", 1_000, null, 5_000, 0, "requeue", "worker_lost"],
    ["amqp", 30_000, null, 120_000, 86_400_000, "requeue", "lease_expired"],
    ["internal", 1_000, null, 10_000, 0, "requeue", "worker_lost"],
    ["push", 3_600_000, null, 2_592_000_000, 0, "requeue", "lease_expired"],
  ]);
});
