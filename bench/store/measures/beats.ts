// What the signs of life of a fleet cost: every worker of the stage beats once a second, evenly spread, and the engine
// writes what is worth writing. Beside it, one write of all beats at once.

import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../../src/ports/store.ts";
import { startEngine } from "../bench-engine.ts";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import type { Place } from "../place.ts";
import { logStatements, statementsDuring } from "../statement-log.ts";
import { median } from "../statistics.ts";

const slicesPerSecond = 50;

export async function measure(input: MeasureInput): Promise<Measured> {
  const seconds = parameter(input, "seconds");
  if (input.place.kind === "postgres") await logStatements(input.place);
  let beatMs = 0;
  const bench = await startEngine(input.place, (store) =>
    timingBeats(store, (ms) => {
      beatMs += ms;
    }),
  );
  const workers = [...bench.engine.catalog.workers()].map(({ id }) => id);
  // The first beats are due at once, for everyone; the rhythm is measured after them.
  await beatFor(2, workers, bench.engine.beat);
  beatMs = 0;
  const databaseMs = await statementMs(input.place, () =>
    input.timed("beats", () => beatFor(seconds, workers, bench.engine.beat)),
  );
  const figures = {
    callMsPerSecond: beatMs / seconds,
    ...(databaseMs === null ? {} : { databaseMsPerSecond: databaseMs / seconds }),
  };
  const all: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const beats = workers.map((worker) => ({ worker, at: bench.clock.now() }));
    const startedAt = performance.now();
    await bench.store.beat(beats);
    all.push(performance.now() - startedAt);
  }
  await bench.stop();
  return { figures: { ...figures, allAtOnceMs: median(all) } };
}

function timingBeats(store: Store, took: (ms: number) => void): Store {
  return {
    ...store,
    async beat(beats) {
      const startedAt = performance.now();
      try {
        return await store.beat(beats);
      } finally {
        took(performance.now() - startedAt);
      }
    },
  };
}

async function beatFor(
  seconds: number,
  workers: readonly string[],
  beat: (id: string) => Promise<unknown>,
): Promise<void> {
  const startedAt = performance.now();
  const each = Math.ceil(workers.length / slicesPerSecond);
  for (let slice = 0; slice < seconds * slicesPerSecond; slice += 1) {
    const from = (slice % slicesPerSecond) * each;
    await Promise.all(workers.slice(from, from + each).map((id) => beat(id)));
    const wait = startedAt + ((slice + 1) * 1_000) / slicesPerSecond - performance.now();
    if (wait > 0) await pause(wait);
  }
}

/** Null where there is no server to ask. */
async function statementMs(place: Place, work: () => Promise<unknown>): Promise<number | null> {
  if (place.kind !== "postgres") {
    await work();
    return null;
  }
  const statements = await statementsDuring(place, async () => void (await work()));
  const beats = statements.filter(({ text }) => /\bupdate (\S+\.)?session\b/i.test(text));
  if (beats.length === 0) throw new Error("No statement that writes beats was found in the log");
  return beats.reduce((sum, { ms }) => sum + ms, 0);
}
