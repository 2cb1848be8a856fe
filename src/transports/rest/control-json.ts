// Pauses, drains and commands as they are shown.

import type { DrainOrder } from "../../core/orders.ts";
import type { Pause } from "../../core/pause.ts";
import { badField } from "../../core/problem.ts";
import type { DrainPlan } from "../../engine/control/drains.ts";
import type { CommandRecord } from "../../ports/records.ts";
import { isoTime } from "./time.ts";

export function pauseWords(pause: Pause | null) {
  if (pause === null) return null;
  const { by, note, at, until } = pause;
  return { by, note, at: isoTime(at), until: isoTime(until) };
}

export function namedPause(pause: Pause | null) {
  return pause === null ? null : { kind: pause.kind, name: pause.name, ...pauseWords(pause) };
}

export function drainWords(drain: DrainOrder | null) {
  if (drain === null) return null;
  const { by, note, at, deadline } = drain;
  return { by, note, at: isoTime(at), deadline: isoTime(deadline) };
}

export function planWords({ id, label, atATime, deadlineMs, by, note, at, waiting, draining, done }: DrainPlan) {
  return {
    ...{ id, label, at_a_time: atATime, deadline_seconds: deadlineMs === null ? null : deadlineMs / 1_000 },
    ...{ by, note, at: isoTime(at), waiting, draining, done },
  };
}

export function commandWords({ id, type, args, by, note, at, ...command }: CommandRecord) {
  const { ok = null, detail = null } = command.answer === null ? {} : JSON.parse(command.answer);
  return {
    ...{ id, type, args: args === null ? null : JSON.parse(args), by, note, at: isoTime(at) },
    expires_at: isoTime(command.expiresAt),
    delivered_at: isoTime(command.deliveredAt),
    acked_at: isoTime(command.ackedAt),
    ...{ ok, detail },
  };
}

/** As a worker is told of it. */
export function toldCommand({ id, type, args, note }: CommandRecord) {
  return { id, type, ...(args === null ? {} : (JSON.parse(args) as object)), ...(note !== null && { note }) };
}

/** When a pause ends; null where it does not. */
export function untilOf(
  words: { readonly for_seconds?: number | null; readonly until?: string | null },
  now: number,
): number | null {
  const { for_seconds: seconds = null, until = null } = words;
  if (seconds !== null && until !== null) throw badField("/until", "and /for_seconds: one of them");
  if (until !== null) return Date.parse(until);
  return seconds === null ? null : now + Math.round(seconds * 1_000);
}

export function msOf(seconds: number | null | undefined): number | null {
  return seconds == null ? null : Math.round(seconds * 1_000);
}

export function labelOf(text: string, pointer: string): { key: string; value: string } {
  const at = text.indexOf("=");
  if (at < 1) throw badField(pointer, "is not key=value");
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}
