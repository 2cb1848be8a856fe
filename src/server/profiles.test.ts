import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { readConfig } from "./config.ts";
import { buildProfiles } from "./profiles.ts";

const profilesOf = (environment: Record<string, string>) =>
  buildProfiles(readConfig({ environment, flags: {} }).config);

test("where nothing is set the profiles are the core's own", () => {
  assert.deepEqual(profilesOf({}), defaultProfiles);
});

test("later thresholds of the fleet follow the first by the factors 3 and 2 unless they are set", () => {
  const { fleet } = profilesOf({ WORKER_UNREACHABLE_THRESHOLD_MS: "60000" });
  assert.deepEqual(
    [fleet.beatMs, fleet.unreachableMs, fleet.lostMs, fleet.stuckTaskMs],
    [10_000, 60_000, 180_000, 360_000],
  );
  const set = profilesOf({ WORKER_UNREACHABLE_THRESHOLD_MS: "60000", WORKER_OFFLINE_THRESHOLD_MS: "100000" }).fleet;
  assert.deepEqual([set.lostMs, set.stuckTaskMs], [100_000, 200_000]);
});

test("each door's thresholds have their setting", () => {
  const profiles = profilesOf({
    LEADHAND_WORKER_TIMEOUT_SECONDS: "10",
    LEADHAND_START_WITHIN: "1m",
    LEADHAND_WORK_LOST_AFTER: "10s",
    LEADHAND_JOB_LEASE_SECONDS: "40",
    LEADHAND_REAPER_STALL_SECONDS: "7",
  });
  assert.deepEqual([profiles.rest.lostMs, profiles.rest.beatMs, profiles.rest.startWithinMs], [10_000, 5_000, 60_000]);
  assert.deepEqual([profiles.work.lostMs, profiles.work.beatMs], [10_000, 2_000]);
  const { lostMs, ownLeaseMs, beatMs, stallMs } = profiles.amqp;
  assert.deepEqual([lostMs, ownLeaseMs, beatMs, stallMs], [40_000, 40_000, 10_000, 7_000]);
});
