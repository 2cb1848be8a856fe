// What the demo says before and after.

import { counted, grouped } from "../counted.ts";
import { renderVideo } from "./sample-jobs.ts";
import type { Counts } from "./watching.ts";

export interface Summary extends Counts {
  readonly seconds: number;
  /** Tasks in the database, and lines of their histories. */
  readonly verified: number;
  readonly events: number;
  readonly faults: number;
}

/** To be typed in another terminal; it finds the server by two variables. */
export function commandsToTry(url: string, data: string, platform: NodeJS.Platform): string[] {
  const set = (name: string, value: string): string =>
    platform === "win32" ? `$env:${name} = "${value}"` : `export ${name}=${quoted(value)}`;
  return [
    set("LEADHAND_URL", url),
    set("LEADHAND_DATA", data),
    "npx leadhand tasks",
    `npx leadhand submit ${renderVideo.name} '{"frames": 99}' --follow`,
    "npx leadhand logs -f ID",
  ];
}

function quoted(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}

export function openingText(url: string, dashboard: string, commands: readonly string[]): string {
  const heads = [`A server at ${url}, with a dashboard at ${dashboard}`, "In a second terminal:"];
  return [...heads, ...commands.map((line) => `  ${line}`), ""].join("\n");
}

export function summaryText(summary: Summary): string {
  const { submitted, completed, failed, cancelled, pending, running, retried, seconds } = summary;
  const open = pending + running;
  const rows: readonly (readonly [string, number, string])[] = [
    ["submitted", submitted, "each on disk before it was answered"],
    ["completed", completed, retried === 1 ? "1 try failed first" : `${grouped(retried)} tries failed first`],
    ["failed", failed, "for good"],
    ["cancelled", cancelled, "before they began, or in a worker's hands"],
    ...(open > 0 ? [["open", open, "waiting, or given back by the workers, for whoever comes next"] as const] : []),
  ];
  const lines = rows.map(([word, count, more]) => `${word.padEnd(10)}${grouped(count).padStart(6)}   ${more}`);
  const { verified, events, faults } = summary;
  return [
    "",
    ...lines,
    "",
    `verify: ${counted(verified, "task")}, ${counted(events, "event")}, ${counted(faults, "fault")}, after ${seconds.toFixed(1)} s`,
  ].join("\n");
}
