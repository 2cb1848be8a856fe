// bench/RESULTS.md: every figure with its spread, how it came about, and what missed its target. Reasons for misses are
// written by people, in bench/reasons.json.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Judged, judgedFigures } from "./judged.ts";
import type { Machine } from "./machine.ts";
import type { Group, Target, Unit } from "./measurement.ts";
import type { Entry, Results } from "./results.ts";

const file = fileURLToPath(new URL("./RESULTS.md", import.meta.url));
const reasonsFile = fileURLToPath(new URL("./reasons.json", import.meta.url));

export function writeReport(results: Results, groups: readonly Group[]): void {
  const reasons = existsSync(reasonsFile) ? (JSON.parse(readFileSync(reasonsFile, "utf8")) as Reasons) : {};
  writeFileSync(file, report(results, groups, reasons));
}

export type Reasons = Readonly<Record<string, string>>;

export function report(results: Results, groups: readonly Group[], reasons: Reasons): string {
  const figures = groups.map((group) => ({ group, judged: judgedFigures(results, group) }));
  return [
    "# Results",
    "Made by `npm run bench:store`, `bench:rest`, `bench:live`, `bench:compare`, `bench:nodes`, `bench:amqp` and `bench:ui`; written by a program, so do not edit it. Reasons for misses are in `reasons.json`.",
    machineLines(results.machine),
    methodLines,
    ...figures.filter(({ judged }) => judged.length > 0).map(({ group, judged }) => section(group, judged, results)),
    misses(
      figures.flatMap(({ judged }) => judged),
      reasons,
    ),
    failures(results.entries),
  ]
    .filter((part) => part !== "")
    .join("\n\n")
    .concat("\n");
}

/** For the terminal: the same rows, without the words around them; tiny sizes are not judged. */
export function plainRows(results: Results, groups: readonly Group[], judging: boolean): string[] {
  return groups.flatMap((group) =>
    judgedFigures(results, group).map((each) => {
      const verdict = !judging
        ? ""
        : each.target === null
          ? ""
          : each.met
            ? "  met"
            : `  MISSED ${targetText(each.target, each.unit)}`;
      const beside = besideText(each);
      return `${each.store.padEnd(8)}  ${each.title.padEnd(62)}  ${amount(each.summary.median, each.unit).padStart(12)}${verdict}${beside === "" ? "" : `  (${beside})`}`;
    }),
  );
}

function machineLines(machine: Machine): string {
  const { cpu, cores, memoryGb, system, node, sqlite, postgres, fsyncP50Ms, fsyncP99Ms, loadBefore } = machine;
  return [
    `- Machine: ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}`,
    `- Node ${node}, SQLite ${sqlite}${postgres === null ? "" : `, PostgreSQL ${postgres}`}`,
    `- Disk: ${fsyncP50Ms.toFixed(2)} ms per fsync of an appended 8 kB page (p99 ${fsyncP99Ms.toFixed(2)} ms)`,
    `- Load average before the run: ${loadBefore.toFixed(2)}`,
  ].join("\n");
}

const methodLines = [
  "Every figure is the median of three runs, each in a process of its own, with the least and the most beside it. The",
  "measurements of a section take turns. Unless a section says otherwise, everything is in one process and no network",
  "door is involved. PostgreSQL is on the same machine and shares its cores. SQLite commits with `synchronous = FULL`; PostgreSQL has `fsync` and",
  "`synchronous_commit` on, 256 MB of shared buffers, and is checkpointed before each run. No answer before its commit.",
].join("\n");

function section(group: Group, judged: readonly Judged[], results: Results): string {
  const rows = judged.map(
    (each) =>
      `| ${each.title} | ${each.store} | ${amount(each.summary.median, each.unit)} | ${range(each)} | ${each.target === null ? "" : targetText(each.target, each.unit)} | ${each.target === null ? "" : each.met ? "met" : "**missed**"} | ${besideText(each)} |`,
  );
  return [
    `## ${group.title}\n\n${group.method}\n`,
    "| what | store | median | least – most | target | | beside |",
    "|---|---|---|---|---|---|---|",
    ...rows,
    ...notesOf(group, results),
  ].join("\n");
}

function notesOf(group: Group, { entries }: Results): string[] {
  const names = new Set(group.measurements.map(({ name }) => name));
  const notes = entries
    .filter(({ name }) => names.has(name))
    .flatMap((entry) => [...entry.notes, ...shortOf(entry)].map((note) => `- ${entry.store}, ${entry.name}: ${note}`));
  return notes.length === 0 ? [] : ["", ...notes];
}

/** A stage that ran out of time says how far it came. */
function shortOf({ facts }: Entry): string[] {
  const { events, eventsWanted } = facts;
  if (typeof events !== "number" || typeof eventsWanted !== "number" || events >= eventsWanted) return [];
  return [`set-up ran out of time: ${whole(events)} rows of history instead of ${whole(eventsWanted)}`];
}

function misses(judged: readonly Judged[], reasons: Reasons): string {
  const missed = judged.filter((each) => each.target !== null && !each.met);
  if (missed.length === 0) return "## Misses\n\nNone.";
  const lines = missed.map((each) => {
    const reason = reasons[each.id] ?? `*reason to be given in \`reasons.json\` under \`${each.id}\`*`;
    const target = each.target === null ? "" : targetText(each.target, each.unit);
    return `- ${each.store}, ${each.title}: ${amount(each.summary.median, each.unit)}, target ${target}. ${reason}`;
  });
  return ["## Misses", "", ...lines].join("\n");
}

function failures(entries: readonly Entry[]): string {
  const failed = entries.filter(({ error }) => error !== null);
  if (failed.length === 0) return "";
  const lines = failed.map(({ store, name, error }) => `- ${store}, ${name}: ${error?.split("\n")[0]}`);
  return ["## Not measured", "", ...lines].join("\n");
}

function range({ summary, unit }: Judged): string {
  return summary.runs === 1 ? "one run" : `${amount(summary.least, unit)} – ${amount(summary.most, unit)}`;
}

function besideText({ beside }: Judged): string {
  return beside.map(({ title, unit, value }) => `${title} ${amount(value, unit)}`).join(", ");
}

function targetText({ atLeast, atMost, goal }: Target, unit: Unit): string {
  const bound = atLeast === undefined ? `≤ ${amount(atMost ?? 0, unit)}` : `≥ ${amount(atLeast, unit)}`;
  return goal === undefined ? bound : `${bound}, goal ${amount(goal, unit)}`;
}

function amount(value: number, unit: Unit): string {
  const number = Math.abs(value) >= 100 || Number.isInteger(value) ? whole(value) : value.toFixed(2);
  return unit === "" ? number : unit === "/s" ? `${number}/s` : `${number} ${unit}`;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
