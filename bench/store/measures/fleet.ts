// What a fleet that only beats costs the database: workers that are connected beat every second, those of the fleet door
// every twenty, evenly spread. Beside it, one pass of the sweep over all of them.

import { setTimeout as pause } from "node:timers/promises";
import { defaultProfiles, type ProfileName } from "../../../src/core/liveness.ts";
import { countingCalls } from "../../../src/testing/counting-calls.ts";
import { deepJob, makeCatalog } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { addWorkers, removeWorkers } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { inWords, type LoggedStatement, logStatements, statementsDuring } from "../../statement-log.ts";
import { median } from "../../statistics.ts";

const slicesPerSecond = 50;
const warmUpSeconds = 5;
const addedAtOnce = 500;
const sweeps = 9;

export async function measure(input: MeasureInput): Promise<Measured> {
  const { place } = input;
  const seconds = parameter(input, "seconds");
  if (place.kind === "postgres") await logStatements(place);
  const calls = countingCalls();
  const bench = await startEngine(place, calls.around);
  // How they are goes along with their beats.
  bench.engine.describeBeats(() => '{"cpuPercent":3,"ramBytes":71303168,"loopLagMs":0,"blockedMs":0}');
  const fleet = await register(bench, input);
  const beat = (from: number, until: number): Promise<void> => beating(bench, fleet, from, until);
  // The first beats come all at once; the rhythm is measured after them.
  await beat(0, warmUpSeconds);
  calls.reset();
  const figures: Record<string, number> = {};
  let statements: readonly LoggedStatement[] = [];
  const timing = await input.timed("beats", async () => {
    if (place.kind === "postgres")
      statements = await statementsDuring(place, () => beat(warmUpSeconds, warmUpSeconds + seconds));
    else await beat(warmUpSeconds, warmUpSeconds + seconds);
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
  await removeWorkers(bench.store, bench, [...fleet.connected, ...fleet.others]);
  await bench.stop();
  return { figures, notes: inWords(statements, seconds) };
}

/** Whoever is there beats already while the others are being written: it would be given up otherwise. */
async function register(bench: BenchEngine, input: MeasureInput): Promise<Fleet> {
  const { store, engine } = bench;
  await makeCatalog(store, bench);
  await engine.catalog.refresh();
  const fleet: Fleet = { connected: [], others: [] };
  const beating = setInterval(() => {
    for (const id of fleet.connected) engine.beat(id).catch(giveUp);
  }, defaultProfiles.work.beatMs);
  try {
    const add = async (to: string[], count: number, profile: ProfileName): Promise<void> => {
      while (to.length < count) {
        to.push(...(await addWorkers(store, bench, Math.min(addedAtOnce, count - to.length), [deepJob], profile)));
      }
    };
    await add(fleet.connected, parameter(input, "connected"), "work");
    await add(fleet.others, parameter(input, "others"), "fleet");
    await engine.catalog.refresh();
  } finally {
    clearInterval(beating);
  }
  return fleet;

  function giveUp(error: unknown): void {
    bench.log.error("a beat was refused", { error });
    process.exitCode = 1;
  }
}

interface Fleet {
  readonly connected: string[];
  readonly others: string[];
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
