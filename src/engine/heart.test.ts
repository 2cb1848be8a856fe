import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { silentTelemetry } from "../testing/world.ts";
import { hearing } from "./hearing.ts";
import { type HeartParts, heart } from "./heart.ts";
import { defaultSettings, type Surroundings } from "./surroundings.ts";

const { leaderLeaseMs } = defaultSettings;
const times = { nextRunAt: null, nextDueAt: null, nextLostAt: null };

/** How long this server thinks it leads, counted from the database's time, when its clock is off by so much. */
async function leadsForMs(offMs: number): Promise<number> {
  const clock = manualClock();
  const databaseTime = clock.now() - offMs;
  const node = { version: "test", address: null };
  let leadsUntil = Number.NaN;
  const pulse = async () => ({
    now: databaseTime,
    leader: true,
    nodes: [],
    lanes: [],
    ...times,
    catalog: 0,
    outbox: false,
  });
  const around = { store: { pulse }, bus: { company() {} }, clock, log: recordedLog(), telemetry: silentTelemetry };
  const parts = {
    catalog: { revision: () => 0 },
    dispatcher: { hint() {} },
    sweeper: {
      wakeAt() {},
      expectSilence() {},
      watch() {},
      lead(until: number) {
        leadsUntil = until;
      },
    },
    hearing: hearing(clock.now(), 1_000),
    agenda: { nextAt: () => null },
    nodeId: "here",
    adjustClock() {},
  };
  const settings = { ...defaultSettings, profiles: defaultProfiles, node };
  await heart({ ...around, settings } as unknown as Surroundings, parts as unknown as HeartParts).start();
  return leadsUntil - databaseTime;
}

test("a leader whose clock was off the database's leads no longer than its lease", async () => {
  for (const offMs of [0, 3_000, -3_000]) assert.equal(await leadsForMs(offMs), leaderLeaseMs);
});
