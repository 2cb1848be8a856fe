import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles, type Profile, type ProfileName } from "./liveness.ts";
import { thresholdFaults } from "./thresholds.ts";

function faults(name: ProfileName, change: Partial<Profile>): [string, string][] {
  const profiles = { ...defaultProfiles, [name]: { ...defaultProfiles[name], ...change } };
  return thresholdFaults(profiles).map((fault) => {
    assert.equal(fault.profile, name);
    return [fault.lower, fault.upper];
  });
}

test("the usual thresholds increase", () => {
  assert.deepEqual(thresholdFaults(defaultProfiles), []);
});

test("a threshold that does not exceed the one before it is named with it", () => {
  assert.deepEqual(faults("work", { lostMs: 1_000 }), [["beatMs", "lostMs"]], "equal is not enough");
  assert.deepEqual(faults("work", { lostMs: 1_001 }), []);
  assert.deepEqual(faults("fleet", { unreachableMs: 400_000 }), [["unreachableMs", "lostMs"]]);
  assert.deepEqual(faults("fleet", { beatMs: 1e9, unreachableMs: 2e9 }), [
    ...[["unreachableMs", "lostMs"] as [string, string]],
  ]);
  assert.deepEqual(faults("fleet", { stuckTaskMs: 360_000 }), [["lostMs", "stuckTaskMs"]]);
  assert.deepEqual(faults("amqp", { removedMs: 60_000 }), [["lostMs", "removedMs"]]);
});

test("several faults are all named", () => {
  assert.deepEqual(faults("fleet", { beatMs: 500_000, removedMs: 1 }), [
    ["beatMs", "unreachableMs"],
    ["stuckTaskMs", "removedMs"],
  ]);
});

test("a worker that goes with its loss needs no time of removal", () => {
  assert.deepEqual(faults("fleet", { removedMs: 0 }), []);
});

test("a fault tells the times as they were set", () => {
  const profiles = { ...defaultProfiles, work: { ...defaultProfiles.work, lostMs: 400 } };
  const [fault] = thresholdFaults(profiles);
  assert.deepEqual(fault, { profile: "work", lower: "beatMs", lowerMs: 1_000, upper: "lostMs", upperMs: 400 });
});
