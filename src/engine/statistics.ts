// Statistics on their way to the store: counted here, added there every few seconds, apart from every move. What could
// not be written is kept and tried again; a crash loses what was counted since the last time.

import { failuresBy, minuteMs, statisticsBy } from "../core/statistics.ts";
import type { Counted } from "../ports/statistic-store.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { type Tallies, tallies } from "./tallies.ts";

export interface Statistics {
  readonly tallies: Tallies;
  /** Writes what was counted until now. Never rejects: whoever looks then sees a little less. */
  flush(): Promise<void>;
  /** Where the database is away, what is left is forgotten. */
  stop(isAway: boolean): Promise<void>;
}

const flushMs = 5_000;

/** In one transaction, so that no move waits long for it. */
const slice = 200;

/** While the database is away little is counted; more than this is forgotten. */
const unwrittenMax = 20_000;

const nothing: Counted = { statistics: [], failures: [] };

export function statistics(
  { store, clock, log }: Pick<Surroundings, "store" | "clock" | "log">,
  catalog: Pick<Catalog, "lane">,
): Statistics {
  let unwritten = nothing;
  let flushing: Promise<void> | null = null;
  let silence: (() => void) | null = null;
  let stopped = false;
  const counts = tallies({ jobOf: (lane) => catalog.lane(lane)?.job, onFirst: soon });

  function soon(): void {
    if (!stopped) silence ??= clock.alarm(clock.now() + flushMs, () => void flush());
  }

  async function flush(): Promise<void> {
    // What was counted since another flush began is not part of it.
    while (flushing !== null) await flushing;
    flushing = write().finally(() => {
      flushing = null;
    });
    return flushing;
  }

  async function write(): Promise<void> {
    silence?.();
    silence = null;
    unwritten = together(unwritten, counts.take());
    try {
      while (unwritten.statistics.length + unwritten.failures.length > 0) {
        const { statistics: all, failures } = unwritten;
        await store.statistics.add({ statistics: all.slice(0, slice), failures: failures.slice(0, slice) });
        unwritten = { statistics: all.slice(slice), failures: failures.slice(slice) };
      }
    } catch (error) {
      log.warn("statistics could not be written, and will be", { rows: unwritten.statistics.length, error });
      soon();
    }
  }

  return {
    tallies: counts,
    flush,
    async stop(isAway) {
      stopped = true;
      silence?.();
      if (!isAway) await flush();
    },
  };
}

function together(before: Counted, more: Counted): Counted {
  if (before.statistics.length + before.failures.length === 0) return more;
  return {
    statistics: statisticsBy(minuteMs, [...before.statistics, ...more.statistics]).slice(-unwrittenMax),
    failures: failuresBy(minuteMs, [...before.failures, ...more.failures]).slice(-unwrittenMax),
  };
}
