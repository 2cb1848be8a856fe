// What the demo says.

import { type Database, databaseName } from "../../server/database.ts";
import { counted, grouped } from "../counted.ts";
import { workersOfDemo } from "./run-demo.ts";
import { sampleJobs } from "./sample-jobs.ts";
import { type Counts, ended } from "./tally.ts";

export interface Summary extends Counts {
  readonly seconds: number;
  /** Tasks in the database, and lines of their histories. */
  readonly verified: number;
  readonly events: number;
  readonly faults: number;
}

export function openingText(address: string, database: Database, tasks: number): string {
  return [
    `A server at ${address}, its database in ${databaseName(database)}`,
    `${workersOfDemo} workers serve ${sampleJobs.length} jobs; ${grouped(tasks)} tasks are on their way`,
    "",
  ].join("\n");
}

/** One line while it runs, short enough for a terminal of 80 columns. */
export function countsText(counts: Counts, seconds: number): string {
  const { submitted, completed, failed, cancelled, held } = counts;
  const waiting = Math.max(0, submitted - ended(counts) - held);
  const words = { completed, failed, cancelled, running: held, waiting };
  const told = Object.entries(words).map(([word, count]) => `${word} ${grouped(count)}`);
  return [...told, `${grouped(ended(counts) / seconds)}/s`].join("  ");
}

export function summaryText(summary: Summary): string {
  const { submitted, completed, failed, cancelled, retried, refused, seconds } = summary;
  const rows: readonly (readonly [string, number, string])[] = [
    ["submitted", submitted, "each on disk before it was answered"],
    ["completed", completed, `${grouped(retried)} tries failed and were followed by another`],
    ["failed", failed, "after all their tries"],
    ["cancelled", cancelled, `some in a worker's hands: ${grouped(refused)} late results were refused`],
  ];
  const lines = rows.map(([word, count, more]) => `${word.padEnd(10)}${grouped(count).padStart(9)}   ${more}`);
  return [
    ...lines,
    "",
    `${grouped(ended(summary) / seconds)} tasks/s, from submit to outcome, in ${seconds.toFixed(1)} s`,
    `verify: ${counted(summary.verified, "task")}, ${counted(summary.events, "event")}, ${counted(summary.faults, "fault")}`,
  ].join("\n");
}
