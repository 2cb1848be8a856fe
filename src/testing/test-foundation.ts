// What a server under a user's test stands on: a database in memory and a clock that is moved by hand. Nothing of the
// engine is replaced; it is watched through its ports, to know when it has come to rest.

import { localBus } from "../buses/local/local-bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { Store } from "../ports/store.ts";
import type { Foundation, FoundationParts } from "../server/foundation.ts";
import { systemIds } from "../server/system.ts";
import { memoryStore } from "../stores/memory/memory-store.ts";
import { type ManualClock, manualClock } from "./manual-clock.ts";

export interface TestFoundation {
  lay(parts: Pick<FoundationParts, "log">): Foundation;
  readonly clock: ManualClock;
  /** Past everything that watches. */
  readonly store: Store;
  /** Signs of life of these workers do not reach the database. */
  readonly silent: Set<string>;
  /** Counts up whenever the engine does anything, and whenever a task may have moved. */
  readonly activity: { readonly all: number; readonly moves: number };
}

export function testFoundation(startAt: number): TestFoundation {
  const clock = manualClock(startAt);
  const store = memoryStore();
  const silent = new Set<string>();
  const activity = { all: 0, moves: 0 };
  const watchedClock = ringingWhatIsDue(clock, () => {
    activity.all += 1;
  });
  const watchedStore = watched(store, silent, activity);
  return {
    ...{ clock, store, silent, activity },
    lay: ({ log }) => ({
      clock: watchedClock,
      ids: systemIds(clock),
      // In the middle: what is tried again is tried after exactly the time its policy names.
      random: { fraction: () => 0.5 },
      database: "memory",
      open: async () => ({ store: watchedStore, bus: localBus(log) }),
      admit: async () => {},
    }),
  };
}

/** An alarm for a time that has come must not wait until somebody moves the clock. */
function ringingWhatIsDue(clock: ManualClock, onAlarm: () => void): Clock {
  return {
    now: clock.now,
    alarm(at, ring) {
      onAlarm();
      if (at <= clock.now()) setImmediate(() => clock.advance(0));
      return clock.alarm(at, ring);
    },
  };
}

function watched(store: Store, silent: ReadonlySet<string>, activity: { all: number; moves: number }): Store {
  const noted = <A extends unknown[], T>(moves: number, call: (...args: A) => Promise<T>) => {
    return (...args: A): Promise<T> => {
      activity.all += 1;
      activity.moves += moves;
      return call(...args);
    };
  };
  return {
    ...store,
    submit: noted(1, store.submit),
    exchange: noted(1, store.exchange),
    amend: noted(1, store.amend) as Store["amend"],
    append: noted(0, store.append),
    confirm: noted(0, store.confirm),
    promote: noted(0, store.promote),
    pulse: noted(0, store.pulse),
    read: noted(0, store.read as (...args: unknown[]) => Promise<never>) as Store["read"],
    beat: (beats) => store.beat(beats.filter(({ worker }) => !silent.has(worker))),
  };
}
