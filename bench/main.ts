// `npm run bench:store`, `bench:rest`, `bench:live`, `bench:compare`, `bench:nodes`, `bench:amqp` and `bench:ui`: sets the
// stages, measures on them, and writes what came out after every section, so that a run that is cut short keeps what it has.

import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Databases, databases } from "./databases.ts";
import { allGroups, groupsOf } from "./groups.ts";
import { judgedFigures } from "./judged.ts";
import { lookAtMachine } from "./machine.ts";
import type { Facts } from "./measure.ts";
import type { Group, Measurement } from "./measurement.ts";
import { type Options, parseOptions, type StoreName, usage } from "./options.ts";
import type { Place } from "./place.ts";
import { plainRows, writeReport } from "./report.ts";
import { type Entry, keptResults, type Results, withEntry, writeResults } from "./results.ts";
import { runChild } from "./run-child.ts";
import { stageHands } from "./stage-hands.ts";

const measureSecondsMax = 180;
const startedAt = performance.now();

process.exitCode = await main(parseOptions(process.argv.slice(2)));

async function main(options: Options): Promise<number> {
  const wanted = wantedGroups(options);
  const names = wanted.flatMap(({ measurements }) => measurements.map(({ name }) => name));
  if (options.help || options.list || names.length === 0) {
    console.log(options.list ? names.join("\n") : usage(options.suite));
    return names.length === 0 ? 2 : 0;
  }
  const data = databases();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
  try {
    return await run(options, wanted, data);
  } finally {
    await data.stop();
  }
}

function wantedGroups({ suite, only, quick, stores, minutes }: Options): Group[] {
  const isWanted = ({ name, stores: has }: Measurement): boolean =>
    (only.length === 0 || only.some((start) => name.startsWith(start))) && has.some((store) => stores.includes(store));
  return groupsOf(suite, quick)
    .map((group) => ({
      ...group,
      measurements: group.measurements.filter(isWanted).map((each) => lasting(each, minutes)),
    }))
    .filter(({ measurements }) => measurements.length > 0);
}

/** Only what is about minutes can be told how many. */
function lasting(measurement: Measurement, minutes: number | null): Measurement {
  const { parameters } = measurement;
  return minutes === null || !("minutes" in parameters)
    ? measurement
    : { ...measurement, parameters: { ...parameters, minutes } };
}

function knownNames(): ReadonlySet<string> {
  return new Set(allGroups().flatMap(({ measurements }) => measurements.map(({ name }) => name)));
}

async function run(options: Options, wanted: readonly Group[], data: Databases): Promise<number> {
  const keeps = !options.quick && !options.cpuProf;
  const postgres = options.stores.includes("postgres") ? await data.postgresVersion() : null;
  const machine = lookAtMachine(data.folder, postgres);
  let results: Results = keeps ? keptResults(machine, knownNames()) : { machine, entries: [] };
  await runChild(
    { file: "stages/load-code", place: { kind: "memory" }, parameters: {}, facts: {}, broker: null, profiles: null },
    60_000,
  );
  let failed = false;
  for (const store of options.stores) {
    const stages = stageHands(data, store, options.quick, say);
    for (const group of wanted) {
      for (const entry of await measureGroup(group, { store, options, data, stages })) {
        failed ||= entry.error !== null;
        if (store !== "memory" || !keeps) results = withEntry(results, entry);
      }
      if (keeps) {
        const known = allGroups();
        writeResults(
          results,
          known.flatMap((each) => judgedFigures(results, each)),
        );
        writeReport(results, known);
      }
    }
    await stages.strike();
  }
  console.log(`\n${plainRows(results, wanted, !options.quick).join("\n")}`);
  const tiny = options.quick ? " and sizes were tiny" : "";
  say(keeps ? "done; see bench/RESULTS.md" : `done; nothing was written${tiny}`);
  return failed ? 1 : 0;
}

interface Circumstances {
  readonly store: StoreName;
  readonly options: Options;
  readonly data: Databases;
  readonly stages: ReturnType<typeof stageHands>;
}

/** The runs of a group's measurements take turns. */
async function measureGroup(group: Group, around: Circumstances): Promise<Entry[]> {
  const { store, options, stages } = around;
  const measurements = group.measurements.filter(({ stores }) => stores.includes(store));
  const rounds = options.quick || options.cpuProf ? 1 : 3;
  const entries = new Map<string, Entry>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const measurement of measurements) {
      if (round > (measurement.rounds ?? rounds)) continue;
      const entry = entries.get(measurement.name) ?? newEntry(measurement, store);
      // What never worked is not tried again; what failed once may be the machine's fault.
      if (entry.error !== null && entry.runs.length === 0) continue;
      entries.set(measurement.name, await measureOnce(measurement, entry, around, round));
    }
  }
  for (const { name, stage } of measurements) if (stage === null) await stages.drop(name);
  return [...entries.values()];
}

function newEntry({ name, parameters }: Measurement, store: StoreName): Entry {
  const measuredAt = new Date().toISOString();
  return { name, store, measuredAt, parameters, facts: {}, runs: [], notes: [], error: null };
}

async function measureOnce(
  { name, file, parameters, stage, figures, secondsMax = measureSecondsMax }: Measurement,
  entry: Entry,
  { store, options, data, stages }: Circumstances,
  round: number,
): Promise<Entry> {
  try {
    const { place, facts }: { place: Place; facts: Facts } =
      stage === null ? await stages.empty(name) : await stages.set(stage);
    await data.settle(store);
    const profiles = options.cpuProf ? join(tmpdir(), "leadhand-bench-profiles", `${store}-${name}`) : null;
    const broker = options.suite === "amqp" ? await data.broker() : null;
    const measured = await runChild({ file, place, parameters, facts, broker, profiles }, 1_000 * secondsMax);
    const run = measured.figures ?? {};
    const told = figures.flatMap(({ key, title, beside }) =>
      run[key] === undefined || beside === true ? [] : `${title} ${short(run[key])}`,
    );
    say([`${store} ${name} ${round}: ${told.join(", ")}`, ...(measured.notes ?? [])].join("\n          "));
    return { ...entry, facts, runs: [...entry.runs, run], notes: measured.notes ?? [] };
  } catch (error) {
    say(`${store} ${name} ${round} FAILED: ${error instanceof Error ? error.message : error}`);
    return { ...entry, error: error instanceof Error ? error.message : String(error) };
  }
}

function say(text: string): void {
  const seconds = Math.floor((performance.now() - startedAt) / 1_000);
  console.log(
    `[${String(Math.floor(seconds / 60)).padStart(2, "0")}:${String(seconds % 60).padStart(2, "0")}] ${text}`,
  );
}

function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toFixed(2);
}
