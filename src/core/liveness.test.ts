import assert from "node:assert/strict";
import { test } from "node:test";
import { aSession } from "../testing/builders.ts";
import {
  beatIsWorthWriting,
  defaultProfiles,
  isLost,
  lateTickMs,
  lostDueAt,
  profileNames,
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
  assert.equal(lostDueAt(session), at + 300);
  assert.equal(isLost(session, lostDueAt(session)), true);
});

test("a beat is worth writing when it is a quarter of the window old", () => {
  assert.deepEqual(
    [0, 74, 75].map((age) => beatIsWorthWriting({ ...session, unreachableMs: null }, at + age)),
    [false, false, true],
  );
});

test("where a worker may be unreachable, a beat is worth writing when it is a twelfth of that old", () => {
  assert.deepEqual(
    [0, 9, 10].map((age) => beatIsWorthWriting({ ...session, unreachableMs: 120 }, at + age)),
    [false, false, true],
  );
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
