import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultProfiles } from "../core/liveness.ts";
import { manualClock } from "../testing/manual-clock.ts";
import { recordedLog } from "../testing/recorded-log.ts";
import { settled, silentTelemetry } from "../testing/world.ts";
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

test("a catalog that takes its time to be read holds up no pulse, and ends no leadership", async () => {
  const clock = manualClock();
  let [pulses, leadsUntil, reads] = [0, 0, 0];
  const pulse = async () => {
    pulses += 1;
    return { now: clock.now(), leader: true, nodes: [], lanes: [], ...times, catalog: 1, outbox: false };
  };
  const never = new Promise<void>(() => {});
  const around = { store: { pulse }, bus: { company() {} }, clock, log: recordedLog(), telemetry: silentTelemetry };
  const parts = {
    catalog: {
      revision: () => (reads === 0 ? 1 : 0),
      refresh() {
        reads += 1;
        return never;
      },
    },
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
  };
  const settings = { ...defaultSettings, profiles: defaultProfiles, node: { version: "test", address: null } };
  await heart({ ...around, settings } as unknown as Surroundings, parts as unknown as HeartParts).start();
  // From now on there is something new to read, and nobody to read it.
  reads = 1;
  for (let second = 0; second < 10; second += 1) {
    clock.advance(defaultSettings.pulseMs);
    await settled(5);
  }
  assert.equal(pulses, 11);
  assert.equal(leadsUntil, clock.now() + leaderLeaseMs);
});
