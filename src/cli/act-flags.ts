// The flags of commands by which an operator does something.

import { parseDuration } from "../server/settings/duration.ts";
import type { Asking } from "./asking-command.ts";
import { UsageError } from "./usage-error.ts";

export const actFlags = { note: { type: "string" }, for: { type: "string" } } as const;

export const actUsage = [
  "  --note TEXT     why; it is kept, and shown to whoever asks",
  "  --for D         pause: ends by itself after so long, as in 10m",
];

export interface ActBody {
  readonly note?: string;
  readonly for_seconds?: number;
}

/** What was said, as a request has it. */
export function actBody(flags: Asking["flags"]): ActBody {
  const note = flags["note"] as string | undefined;
  const seconds = secondsOf(flags, "for");
  return { ...(note !== undefined && { note }), ...(seconds !== undefined && { for_seconds: seconds }) };
}

/** Throws a UsageError for what is no duration. */
export function secondsOf(flags: Asking["flags"], name: string): number | undefined {
  const given = flags[name] as string | undefined;
  if (given === undefined) return undefined;
  // A bare number would be milliseconds elsewhere; nobody means a pause of 10 ms.
  const ms = /^\d+$/.test(given) ? undefined : parseDuration(given, "");
  if (ms === undefined || ms < 0) throw new UsageError(`--${name}: "${given}" is not a duration like 30s or 10m`);
  return ms / 1_000;
}

/** Throws a UsageError where a flag was given that this act does not take. */
export function refuseFlags(flags: Asking["flags"], name: string, foreign: readonly string[]): void {
  const given = foreign.find((flag) => flags[flag] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is not for \`leadhand ${name}\``);
}

/** As in " by ada until 12:00: the disk is full". */
export function pauseText({ by, note, until }: { by: string; note: string | null; until: string | null }): string {
  return `by ${by}${until === null ? "" : ` until ${until}`}${note === null ? "" : `: ${note}`}`;
}
