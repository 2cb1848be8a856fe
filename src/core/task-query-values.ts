// What stands on the right of a term: states, ids, numbers, times.

import { countMax, durationMsMax } from "./checks.ts";
import { type Cursor, expected, type Spelled } from "./task-query-text.ts";
import { finalStates, openStates, type Stage, stages, stagesIn } from "./task-row.ts";
import { isUuid } from "./uuid7.ts";

/** States as they are shown, and words for what is finer or coarser than those. */
const stateWords: Readonly<Record<string, readonly Stage[]>> = {
  ...Object.fromEntries(stages.map((stage) => [stage, [stage]])),
  ...Object.fromEntries([...openStates, ...finalStates].map((state) => [state, stagesIn(state)])),
  open: openStates.flatMap(stagesIn),
  final: finalStates,
};

export function stagesOf(cursor: Cursor, { text, at }: Spelled): readonly Stage[] {
  const found = Object.hasOwn(stateWords, text) ? stateWords[text] : undefined;
  if (found === undefined) throw expected(cursor, `one of ${Object.keys(stateWords).join(", ")}`, at);
  return found;
}

export function idOf(cursor: Cursor, { text, at }: Spelled): string {
  const id = text.toLowerCase();
  if (!isUuid(id)) throw expected(cursor, "the UUID of a task", at);
  return id;
}

const anId = "00000000-0000-0000-0000-000000000000";

export function idPrefixOf(cursor: Cursor, { text, at }: Spelled): string {
  const prefix = text.toLowerCase();
  if (!isUuid(prefix + anId.slice(prefix.length))) throw expected(cursor, "the beginning of a UUID", at);
  return prefix;
}

export function numberOf(cursor: Cursor, { text, at }: Spelled): number {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(Math.abs(value) < countMax)) throw expected(cursor, "a whole number", at);
  return value;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

export function durationOf(cursor: Cursor, { text, at }: Spelled): number {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d|w)$/.exec(text) ?? [];
  const ms = Math.round(Number(count) * (unitMs[unit ?? ""] ?? Number.NaN));
  if (!(ms <= durationMsMax)) throw expected(cursor, "a time such as 500ms, 10s, 5m, 1h, 2d or 1w", at);
  return ms;
}
