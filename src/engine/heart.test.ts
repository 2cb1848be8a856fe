import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { type ManualClock, manualClock } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { settled, silentTelemetry } from "../testing/world.ts";
import { hearing } from "./hearing.ts";
import { type HeartParts, heart } from "./heart.ts";
import { defaultSettings, type Surroundings } from "./surroundings.ts";

const { leaderLeaseMs } = defaultSettings;
const times = { nextRunAt: null, nextDueAt: null, nextLostAt: null };

/** A heart whose database answers this time, and which has these parts beside those that do nothing. */
function scene(databaseTime: () => number, more: { readonly [part: string]: unknown }, clock: ManualClock) {
  const seen = { pulses: 0, leadsUntil: Number.NaN };
  const pulse = async () => {
    seen.pulses += 1;
    return { now: databaseTime(), leader: true, nodes: [], lanes: [], ...times, catalog: 1, outbox: false };
  };
  const settings = { ...defaultSettings, profiles: defaultProfiles, node: { version: "test", address: null } };
  const idle = { wakeAt() {}, expectSilence() {}, watch() {} };
  const around = { store: { pulse }, bus: { company() {} }, clock, log: recordedLog(), telemetry: silentTelemetry };
  const parts = {
    dispatcher: { hint() {} },
    sweeper: {
      ...idle,
      lead(until: number) {
        seen.leadsUntil = until;
      },
    },
    hearing: hearing({ startedAt: clock.now(), pulseMs: 1_000, profiles: defaultProfiles }),
    agenda: { nextAt: () => null },
    ...{ nodeId: "here", ...more },
  };
  const beating = heart({ ...around, settings } as unknown as Surroundings, parts as unknown as HeartParts);
  return { seen, start: beating.start };
}

/** How long this server thinks it leads, counted from the database's time, when its clock is off by so much. */
async function leadsForMs(offMs: number): Promise<number> {
  const clock = manualClock();
  const databaseTime = clock.now() - offMs;
  const { seen, start } = scene(() => databaseTime, { catalog: { revision: () => 1 }, adjustClock() {} }, clock);
  await start();
  return seen.leadsUntil - databaseTime;
}

test("a leader whose clock was off the database's leads no longer than its lease", async () => {
  for (const offMs of [0, 3_000, -3_000]) assert.equal(await leadsForMs(offMs), leaderLeaseMs);
});

test("a catalog that takes its time to be read holds up no pulse, and ends no leadership", async () => {
  const clock = manualClock();
  let revision = 1;
  const never = new Promise<void>(() => {});
  const catalog = { revision: () => revision, refresh: () => never };
  const { seen, start } = scene(clock.now, { catalog }, clock);
  await start();
  // From now on there is something new to read, and nobody to read it.
  revision = 0;
  for (let second = 0; second < 10; second += 1) {
    clock.advance(defaultSettings.pulseMs);
    await settled(5);
  }
  assert.equal(seen.pulses, 11);
  assert.equal(seen.leadsUntil, clock.now() + leaderLeaseMs);
});
