// What a fleet that only beats costs the database: workers that are connected beat every second, those of the fleet door
// every twenty, evenly spread. Beside it, one pass of the sweep over all of them.

import { setTimeout as pause } from "node:timers/promises";
import { defaultProfiles } from "../../../src/core/liveness.ts";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { addWorkers } from "../../bench-workers.ts";
import { countingCalls } from "../../counting-calls.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { openStore } from "../../place.ts";
import { inWords, type LoggedStatement, logStatements, statementsDuring } from "../../statement-log.ts";
import { median } from "../../statistics.ts";
import { benchSurroundings } from "../../surroundings.ts";

const slicesPerSecond = 50;
const sweeps = 9;

export async function measure(input: MeasureInput): Promise<Measured> {
  const { place } = input;
  const seconds = parameter(input, "seconds");
  const { connected, others } = await register(input);
  if (place.kind === "postgres") await logStatements(place);
  const calls = countingCalls();
  const bench = await startEngine(place, calls.around);
  // How they are goes along with their beats.
  bench.engine.describeBeats(() => '{"cpuPercent":3,"ramBytes":71303168,"loopLagMs":0,"blockedMs":0}');
  const beat = (from: number, until: number): Promise<void> => beating(bench, { connected, others }, from, until);
  // The first beats are due at once, for everyone; the rhythm is measured after them.
  await beat(0, 2);
  calls.reset();
  const figures: Record<string, number> = {};
  let statements: readonly LoggedStatement[] = [];
  const timing = await input.timed("beats", async () => {
    if (place.kind === "postgres") statements = await statementsDuring(place, () => beat(2, 2 + seconds));
    else await beat(2, 2 + seconds);
  });
  const counts = calls.counts();
  figures["cpuPercent"] = timing.cpuMs / seconds / 10;
  if (timing.serverCpuMs !== null) figures["serverCpuPercent"] = timing.serverCpuMs / seconds / 10;
  if (place.kind === "postgres") {
    figures["databasePercent"] = statements.reduce((sum, { ms }) => sum + ms, 0) / seconds / 10;
    figures["statementsPerSecond"] = statements.length / seconds;
  }
  figures["beatsPerSecond"] = (counts.get("beat") ?? 0) / seconds;
  figures["sweepMs"] = await sweepMs(bench);
  await bench.stop();
  return { figures, notes: inWords(statements, seconds) };
}

async function register(input: MeasureInput) {
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  await makeCatalog(store, around);
  const connected = await addWorkers(store, around, parameter(input, "connected"), [deepJob]);
  const others = await addWorkers(store, around, parameter(input, "others"), [deepJob], "fleet");
  await store.stop();
  return { connected, others };
}

interface Fleet {
  readonly connected: readonly string[];
  readonly others: readonly string[];
}

async function beating({ engine }: BenchEngine, fleet: Fleet, from: number, until: number): Promise<void> {
  const startedAt = performance.now();
  for (let slice = from * slicesPerSecond; slice < until * slicesPerSecond; slice += 1) {
    const turn = [
      ...sliceOf(fleet.connected, slice, defaultProfiles.work.beatMs),
      ...sliceOf(fleet.others, slice, defaultProfiles.fleet.beatMs),
    ];
    await Promise.all(turn.map((id) => engine.beat(id)));
    const wait = startedAt + ((slice + 1 - from * slicesPerSecond) * 1_000) / slicesPerSecond - performance.now();
    if (wait > 0) await pause(wait);
  }
}

/** Each of them once in so many milliseconds. */
function sliceOf(workers: readonly string[], slice: number, everyMs: number): readonly string[] {
  const slices = (slicesPerSecond * everyMs) / 1_000;
  const each = Math.ceil(workers.length / slices);
  const from = (slice % slices) * each;
  return workers.slice(from, from + each);
}

/** Everything that a sweep looks at, with nothing to do. */
async function sweepMs({ engine }: BenchEngine): Promise<number> {
  const times: number[] = [];
  for (let nth = 0; nth < sweeps; nth += 1) {
    const startedAt = performance.now();
    await engine.sweeper.tick();
    times.push(performance.now() - startedAt);
  }
  return median(times);
}
