// What the signs of life of a fleet cost: every worker of the stage beats once a second, evenly spread, and the engine
// writes what is worth writing. Beside it, one write of all beats at once.

import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../../../src/ports/store.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import type { Place } from "../../place.ts";
import { logStatements, statementsDuring } from "../../statement-log.ts";
import { median } from "../../statistics.ts";

const slicesPerSecond = 50;

export async function measure(input: MeasureInput): Promise<Measured> {
  const seconds = parameter(input, "seconds");
  if (input.place.kind === "postgres") await logStatements(input.place);
  let callMs = 0;
  const bench = await startEngine(input.place, (store) =>
    timingBeats(store, (ms) => {
      callMs += ms;
    }),
  );
  const workers = [...bench.engine.catalog.workers()].map(({ id }) => id);
  // The first beats are due at once, for everyone; the rhythm is measured after them.
  await beatFor(2, workers, bench.engine.beat);
  callMs = 0;
  const figures: Record<string, number> = {};
  const databaseMs = await statementMs(input.place, async () => {
    const timing = await input.timed("beats", () => beatFor(seconds, workers, bench.engine.beat));
    figures["cpuMsPerSecond"] = timing.cpuMs / seconds;
    if (timing.serverCpuMs !== null) figures["serverCpuMsPerSecond"] = timing.serverCpuMs / seconds;
  });
  figures["callMsPerSecond"] = callMs / seconds;
  if (databaseMs !== null) figures["databaseMsPerSecond"] = databaseMs / seconds;
  figures["allAtOnceMs"] = await allAtOnce(bench, workers);
  await bench.stop();
  return { figures };
}

async function allAtOnce({ store, clock }: BenchEngine, workers: readonly string[]): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < 5; nth += 1) {
    const beats = workers.map((worker) => ({ worker, at: clock.now() }));
    const startedAt = performance.now();
    await store.beat(beats);
    times.push(performance.now() - startedAt);
  }
  return median(times);
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
async function statementMs(place: Place, work: () => Promise<void>): Promise<number | null> {
  if (place.kind !== "postgres") {
    await work();
    return null;
  }
  const statements = await statementsDuring(place, work);
  const beats = statements.filter(({ text }) => /\bupdate (\S+\.)?session\b/i.test(text));
  if (beats.length === 0) throw new Error("No statement that writes beats was found in the log");
  return beats.reduce((sum, { ms }) => sum + ms, 0);
}
