// How evenly a worker beats.

import type { Answer } from "../../api/routes.ts";

export type Beats = Answer<"GET /workers/{worker_id}/beats">;

export const beatKinds = ["on time", "late", "missed"] as const;
export type BeatKind = (typeof beatKinds)[number];

/** A beat a little late is nothing to look at. */
const lateFrom = 1.35;
/** From here on at least one whole beat did not come. */
const missedFrom = 2;

export function kindOf(gapMs: number, everyMs: number): BeatKind {
  if (gapMs >= missedFrom * everyMs) return "missed";
  return gapMs >= lateFrom * everyMs ? "late" : "on time";
}

/** How often it is to beat; what it does where nobody says. */
export function everyOf({ every_ms, items }: Beats): number {
  if (every_ms !== null) return every_ms;
  const gaps = items.flatMap(({ gap_ms }) => gap_ms ?? []).sort((a, b) => a - b);
  return gaps[Math.floor(gaps.length / 2)] ?? 1_000;
}

export function countKinds(beats: Beats): Readonly<Record<BeatKind, number>> {
  const every = everyOf(beats);
  const counts = { "on time": 0, late: 0, missed: 0 };
  for (const { gap_ms } of beats.items) counts[kindOf(gap_ms ?? 0, every)] += 1;
  return counts;
}

/** The strip shows gaps up to so many times the usual one. */
const tallest = 3;

/** Between 0 and 1. */
export function heightOf(gapMs: number, everyMs: number): number {
  return Math.min(1, Math.max(0.06, gapMs / everyMs / tallest));
}

/** Workers tell what has changed: where a beat says nothing, it is as it was. */
export function carried(values: readonly (number | null)[], now: number | null): readonly (number | null)[] {
  if (values.every((value) => value === null)) return values.map(() => now);
  let last: number | null = null;
  return values.map((value) => {
    last = value ?? last;
    return last;
  });
}
