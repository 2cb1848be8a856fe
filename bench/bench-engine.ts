// A whole engine as a server would have it, without doors: the real clock, the real bus, a store that is given.

import { defaultProfiles } from "../src/core/liveness.ts";
import { type Engine, engine } from "../src/engine/engine.ts";
import { defaultSettings, type Surroundings } from "../src/engine/surroundings.ts";
import type { Bus } from "../src/ports/bus.ts";
import type { Store } from "../src/ports/store.ts";
import { openStore, type Place } from "./place.ts";
import { type BenchSurroundings, benchSurroundings, type CommitCounts, commitCounts } from "./surroundings.ts";

export interface BenchEngine extends BenchSurroundings {
  readonly engine: Engine;
  /** What desks are made with. */
  readonly around: Surroundings;
  readonly store: Store;
  readonly commits: CommitCounts;
  stop(): Promise<void>;
}

/** `wrap` may put something around the store, to time its calls. */
export async function startEngine(
  place: Place,
  wrap: (store: Store) => Store = (store) => store,
): Promise<BenchEngine> {
  const around = benchSurroundings();
  const store = wrap(await openStore(place, around));
  const commits = commitCounts();
  let offset = 0;
  const all: Surroundings = {
    ...around,
    store,
    bus: await openBus(place, around),
    telemetry: commits,
    settings: { ...defaultSettings, profiles: defaultProfiles, node: { version: "bench", address: null } },
  };
  const running = await engine({
    ...all,
    categories: ["bench"],
    ...(place.kind === "postgres" ? { adjustClock } : {}),
  });
  await running.start();
  return { ...around, around: all, engine: running, store, commits, stop: () => running.stop() };

  function adjustClock(byMs: number): void {
    offset += byMs;
    around.clock.setOffset(offset);
  }
}

async function openBus(place: Place, { clock, ids, random, log }: BenchSurroundings): Promise<Bus> {
  if (place.kind === "postgres") {
    const { postgresBus } = await import("../src/buses/postgres/postgres-bus.ts");
    return postgresBus({ url: place.url, node: ids.next(), clock, random, log });
  }
  const { localBus } = await import("../src/buses/local/local-bus.ts");
  return localBus(log);
}
