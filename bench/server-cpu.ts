// The processor time of other processes, from Linux's /proc: a PostgreSQL server with all it has started, or one process
// alone. Where there is no /proc, there is no figure.

import { readdirSync, readFileSync } from "node:fs";
import type { Place } from "./place.ts";

/** A hundredth of a second on every Linux of today. */
const tickMs = 10;

/** Null where it cannot be told. */
export function serverCpuMs(place: Place): number | null {
  if (place.kind !== "postgres") return null;
  const processes = readdirSync("/proc", { withFileTypes: true })
    .filter(({ name }) => /^\d+$/.test(name))
    .flatMap(({ name }) => statOf(name) ?? []);
  const own = processes.find(({ pid }) => pid === place.serverPid);
  if (own === undefined) return null;
  const children = processes.filter(({ parent }) => parent === place.serverPid);
  return children.reduce((sum, { ticks }) => sum + ticks, own.ticks + own.endedTicks) * tickMs;
}

/** Of one process, all its threads together; null where it cannot be told. */
export function processCpuMs(pid: number): number | null {
  const own = statOf(String(pid));
  return own === undefined ? null : own.ticks * tickMs;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
  /** Of children that have ended. */
  readonly endedTicks: number;
}

function statOf(pid: string): Process | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It ended while we were looking.
    return undefined;
  }
  // The second field is the name in parentheses and may hold blanks; the parent's number is the fourth.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const field = (nth: number): number => Number(fields[nth - 3]);
  return { pid: Number(pid), parent: field(4), ticks: field(14) + field(15), endedTicks: field(16) + field(17) };
}
