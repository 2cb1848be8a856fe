// The flags of `leadhand submit`, as the body of its request.

import { parseDuration } from "../server/settings/duration.ts";
import { labelsOf } from "./labels.ts";
import { wholeNumber } from "./page-flags.ts";
import { UsageError } from "./usage-error.ts";

const text = { type: "string" } as const;

export const submitFlags = {
  ...{ room: text, priority: text, delay: text, at: text, queue: text, parent: text },
  ...{ label: { type: "string", multiple: true } as const, attempts: text, timeout: text, "idempotency-key": text },
};

type Flags = Readonly<Record<string, unknown>>;

const priorityMax = 1_000_000;

/** JSON text. The payload goes into it as the text it is. */
export function submitBody(flags: Flags, payload: string): string {
  const { queue, parent, at, delay } = flags as Readonly<Record<string, string | undefined>>;
  if (at !== undefined && delay !== undefined) throw new UsageError("--at and --delay exclude each other");
  const maxAttempts = wholeNumber(flags, "attempts", 1, 1_000_000);
  const rest = {
    priority: wholeNumber(flags, "priority", -priorityMax, priorityMax),
    delay_seconds: seconds(flags, "delay"),
    run_at: at === undefined ? undefined : timeOf(at),
    queue,
    parent_id: parent,
    labels: labelsOf(flags),
    timeout_seconds: seconds(flags, "timeout"),
    retry: maxAttempts === undefined ? undefined : { maxAttempts },
  };
  const members = Object.entries(rest).filter(([, value]) => value !== undefined);
  return `{${[`"payload":${payload}`, ...members.map(([name, value]) => `"${name}":${JSON.stringify(value)}`)].join(",")}}`;
}

function seconds(flags: Flags, name: string): number | undefined {
  const given = flags[name] as string | undefined;
  if (given === undefined) return undefined;
  // A bare number would be milliseconds elsewhere, and nobody knows what was meant.
  const ms = /^\d+$/.test(given) ? undefined : parseDuration(given, "");
  if (ms === undefined) throw new UsageError(`--${name}: "${given}" is not a duration like 30s, 5m or 2h`);
  return ms / 1_000;
}

function timeOf(given: string): string {
  const at = Date.parse(given);
  if (Number.isNaN(at)) throw new UsageError(`--at: "${given}" is not a time like 2026-11-15T18:30:00Z`);
  return new Date(at).toISOString();
}
