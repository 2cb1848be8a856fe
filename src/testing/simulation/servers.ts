// Two servers on one store in memory and one clock that is moved by hand. Either may die; another takes its place.

import { localBus } from "../../buses/local/local-bus.ts";
import { defaultProfiles, type Profiles } from "../../core/liveness.ts";
import type { Random } from "../../ports/random.ts";
import type { Store } from "../../ports/store.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import type { Entry } from "../ledger.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import { type RecordedCalls, recordedCalls } from "../recorded-calls.ts";
import { settled, type World, world } from "../world.ts";
import { type UnsteadyStore, unsteadyStore } from "./unsteady-store.ts";

export interface Server {
  readonly world: World;
  readonly link: UnsteadyStore;
  readonly calls: RecordedCalls;
}

export interface Servers {
  /** Straight to the database, past every server. */
  readonly store: Store;
  readonly clock: ManualClock;
  at(number: number): Server;
  /** The server falls over in the middle of whatever it does; a new one starts in its place. */
  crash(number: number): Promise<void>;
  /** From now on calls take their time, and some are refused. */
  storm(): void;
  /** From now on every call arrives at once, and is answered. It begins so. */
  calm(): void;
}

export interface ServersOptions {
  readonly random: Random;
  readonly turns: number;
  readonly deaf: boolean;
  readonly note: (entry: Entry) => void;
}

const lostMs = 4_000;
const brief = { unreachableMs: null, lostMs } as const;

/** The doors' profiles, with windows that a simulation can wait for. */
const profiles: Profiles = {
  rest: { ...defaultProfiles.rest, ...brief, startWithinMs: 3_000 },
  fleet: { ...defaultProfiles.fleet, ...brief, stuckTaskMs: 8_000, removedMs: 10_000 },
  work: { ...defaultProfiles.work, ...brief },
  amqp: { ...defaultProfiles.amqp, ...brief, ownLeaseMs: lostMs, removedMs: 10_000 },
  internal: { ...defaultProfiles.internal, ...brief },
  push: { ...defaultProfiles.push, ...brief, ownLeaseMs: lostMs },
};

const refused = 0.02;

export async function servers({ random, turns, deaf, note }: ServersOptions): Promise<Servers> {
  const store = memoryStore();
  const clock = manualClock();
  const together = localBus();
  let calm = true;
  let sources = 0;

  async function start(): Promise<Server> {
    const link = unsteadyStore(store, random);
    sources += 1;
    const bus = deaf ? localBus() : together;
    const started = await world({ store: link.store, bus, clock, source: sources, settings: { profiles } });
    if (!calm) link.shake(turns, refused);
    return { world: started, link, calls: recordedCalls(started.engine, note) };
  }

  const running = [await start(), await start()];
  return {
    store,
    clock,
    at: (number) => running[number] as Server,
    async crash(number) {
      running[number]?.link.die();
      running[number] = await start();
      await settled(5);
    },
    storm() {
      calm = false;
      for (const { link } of running) link.shake(turns, refused);
    },
    calm() {
      calm = true;
      for (const { link } of running) link.shake(0, 0);
    },
  };
}
