// A real engine on a real database, with windows short enough that losing a worker takes two seconds.

import { localBus } from "../../src/buses/local/local-bus.ts";
import { postgresBus } from "../../src/buses/postgres/postgres-bus.ts";
import { defaultProfiles, type Profiles } from "../../src/core/liveness.ts";
import { type Engine, engine } from "../../src/engine/engine.ts";
import { defaultSettings, type EngineSettings } from "../../src/engine/surroundings.ts";
import type { Bus } from "../../src/ports/bus.ts";
import type { Log } from "../../src/ports/log.ts";
import type { Store } from "../../src/ports/store.ts";
import { type SystemClock, systemClock, systemIds, systemRandom } from "../../src/server/system.ts";
import { postgresStore } from "../../src/stores/postgres/postgres-store.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { silentTelemetry } from "../../src/testing/world.ts";

export const lostMs = 2_000;

const quick = { beatMs: 200, unreachableMs: null, lostMs } as const;

/** Beats are written once a second, so a window has to be longer than that. */
export const chaosProfiles: Profiles = {
  rest: { ...defaultProfiles.rest, ...quick, startWithinMs: 1_500 },
  fleet: { ...defaultProfiles.fleet, ...quick, unreachableMs: 1_000, stuckTaskMs: 4_000, removedMs: 5_000 },
  work: { ...defaultProfiles.work, ...quick },
  amqp: { ...defaultProfiles.amqp, ...quick, ownLeaseMs: lostMs, removedMs: 5_000 },
  internal: { ...defaultProfiles.internal, ...quick },
  push: { ...defaultProfiles.push, ...quick, ownLeaseMs: lostMs },
};

export const chaosSettings: EngineSettings = {
  ...defaultSettings,
  profiles: chaosProfiles,
  node: { version: "chaos", address: null },
  pulseMs: 200,
  leaderLeaseMs: 600,
};

/** Where the engine keeps its tasks. Plain JSON, so that it can be told to another process. */
export type Place =
  | { readonly file: string; readonly bytesMax?: number }
  | { readonly url: string; readonly schema: string; readonly waitMs?: number };

export interface ChaosEngine {
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: SystemClock;
}

export interface ChaosEngineOptions {
  readonly log: Log;
  readonly settings?: Partial<EngineSettings>;
  /** Whether other servers share the database. */
  readonly shared?: boolean;
}

export async function chaosEngine(place: Place, options: ChaosEngineOptions): Promise<ChaosEngine> {
  const { log } = options;
  const clock = systemClock();
  const store = openPlace(place, clock, log);
  const running = await engine({
    store,
    bus: "url" in place && options.shared ? busOf(place.url, clock, log) : localBus(log),
    clock,
    ids: systemIds(clock),
    random: systemRandom(),
    log,
    telemetry: silentTelemetry,
    categories: ["modifiers"],
    settings: { ...chaosSettings, ...options.settings },
    ...("url" in place ? { adjustClock: adjusting(clock) } : {}),
  });
  await running.start();
  return { engine: running, store, clock };
}

/** The store alone, without an engine. */
export function openPlace(place: Place, clock: SystemClock, log: Log): Store {
  return "url" in place ? postgresStore({ ...place, clock, log }) : sqliteStore({ ...place, log });
}

function busOf(url: string, clock: SystemClock, log: Log): Bus {
  const random = systemRandom();
  return postgresBus({ url, node: systemIds(clock).next(), clock, random, log });
}

/** The database's clock is the one that counts. */
function adjusting(clock: SystemClock): (byMs: number) => void {
  let offset = 0;
  return (byMs) => {
    offset += byMs;
    clock.setOffset(offset);
  };
}
