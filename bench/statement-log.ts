// What a PostgreSQL database was asked, read from the server's log: every statement with its time. Works with any
// server, without an extension.

import { open, stat } from "node:fs/promises";
import { Client } from "pg";
import type { Place } from "./place.ts";

export interface LoggedStatement {
  readonly text: string;
  /** Parsing, binding and running it, as far as the server says. */
  readonly ms: number;
}

type PostgresPlace = Extract<Place, { kind: "postgres" }>;

/** From the next connection on. The instance is started with `logSettings`. */
export async function logStatements(place: PostgresPlace): Promise<void> {
  const client = new Client({ connectionString: place.url });
  await client.connect();
  await client.query(`alter database "${place.database}" set log_min_duration_statement = 0`);
  await client.end();
}

export const logSettings = { log_line_prefix: "%d|", log_parameter_max_length: 0, log_checkpoints: "off" } as const;

/** What the database was asked while `work` ran. */
export async function statementsDuring(place: PostgresPlace, work: () => Promise<void>): Promise<LoggedStatement[]> {
  const { size: from } = await stat(place.logFile);
  await work();
  const { size: to } = await stat(place.logFile);
  const file = await open(place.logFile);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(to - from), position: from });
    return parseLog(buffer.subarray(0, bytesRead).toString("utf8"), place.database);
  } finally {
    await file.close();
  }
}

const step = /^LOG: {2}duration: ([\d.]+) ms(?: {2}(parse|bind|execute|statement)[^:]*: ?([\s\S]*))?$/;

export function parseLog(text: string, database: string): LoggedStatement[] {
  const statements: LoggedStatement[] = [];
  let pendingMs = 0;
  for (const entry of text.split(/\n(?!\t)/)) {
    if (!entry.startsWith(`${database}|`)) continue;
    const [, ms, kind, said = ""] = step.exec(entry.slice(database.length + 1)) ?? [];
    if (ms === undefined) continue;
    pendingMs += Number(ms);
    if (kind !== "execute" && kind !== "statement") continue;
    statements.push({ text: said.replace(/\s+/g, " ").trim(), ms: pendingMs });
    pendingMs = 0;
  }
  return statements;
}

/** The most frequent ones, in a few words each. */
export function inWords(statements: readonly LoggedStatement[], seconds: number): string[] {
  const counts = new Map<string, number>();
  for (const { text } of statements) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([text, count]) => `${(count / seconds).toFixed(2)}/s \`${text.slice(0, 60).replaceAll("|", "\\|")}\``);
}
