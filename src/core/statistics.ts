// What is counted about tasks, minute by minute, for each room and job. Only what was committed counts; a server that
// crashes takes a few seconds of it along, and nothing else depends on it.

import { type Histogram, merged } from "./histogram.ts";

export const minuteMs = 60_000;
export const hourMs = 3_600_000;

/** Minutes and hours are kept so long. */
export const minutesKeptMs = 48 * hourMs;
export const hoursKeptMs = 31 * 24 * hourMs;

export const countNames = ["submitted", "started", "completed", "failed", "cancelled", "lost", "retried"] as const;
export type CountName = (typeof countNames)[number];

/**
 * Where there are too many rooms to tell them apart, some are counted together under this name, which no room has: whoever
 * may see all rooms misses nothing.
 */
export const otherRooms = "@others";

/** What is counted, and how long tasks waited and ran: from ready to claimed, from started to their end. */
export interface Counts extends Readonly<Record<CountName, number>> {
  readonly wait: Histogram;
  readonly run: Histogram;
}

/** The counts of a span of time that begins at `at`. */
export interface Statistic extends Counts {
  readonly at: number;
  /** Of the tasks, which need not be that of their job. */
  readonly room: string;
  readonly job: string;
}

/** How often tasks of a room failed in the same way, in a span of time that begins at `at`, with the last of them. */
export interface FailureCount {
  readonly at: number;
  readonly room: string;
  readonly fingerprint: string;
  readonly tasks: number;
  readonly job: string;
  readonly code: string | null;
  readonly error: string;
  readonly task: string;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** So much of an error is kept as a sample. */
export const sampleCharsMax = 1_000;

export const nothingCounted: Counts = {
  ...{ submitted: 0, started: 0, completed: 0, failed: 0, cancelled: 0, lost: 0, retried: 0 },
  ...{ wait: [], run: [] },
};

export function addedCounts(a: Counts, b: Counts): Counts {
  return {
    submitted: a.submitted + b.submitted,
    started: a.started + b.started,
    completed: a.completed + b.completed,
    failed: a.failed + b.failed,
    cancelled: a.cancelled + b.cancelled,
    lost: a.lost + b.lost,
    retried: a.retried + b.retried,
    wait: merged(a.wait, b.wait),
    run: merged(a.run, b.run),
  };
}

/** The later of the two is the sample. */
export function addedFailures(a: FailureCount, b: FailureCount): FailureCount {
  return {
    ...(b.lastAt >= a.lastAt ? b : a),
    at: a.at,
    tasks: a.tasks + b.tasks,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt: Math.max(a.lastAt, b.lastAt),
  };
}

/** Counts of spans of `stepMs`, one for each room and job, in order of time, room and job. */
export function statisticsBy(stepMs: number, all: Iterable<Statistic>): Statistic[] {
  const sums = new Map<string, Statistic>();
  for (const each of all) {
    const at = each.at - (each.at % stepMs);
    const key = JSON.stringify([at, each.room, each.job]);
    const sum = sums.get(key);
    const { room, job } = each;
    sums.set(key, sum === undefined ? { ...each, at } : { ...addedCounts(sum, each), at, room, job });
  }
  return [...sums.values()].sort((a, b) => a.at - b.at || compare(a.room, b.room) || compare(a.job, b.job));
}

/** The same of failures, one for each room and fingerprint. */
export function failuresBy(stepMs: number, all: Iterable<FailureCount>): FailureCount[] {
  const sums = new Map<string, FailureCount>();
  for (const each of all) {
    const at = each.at - (each.at % stepMs);
    const key = JSON.stringify([at, each.room, each.fingerprint]);
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? { ...each, at } : addedFailures(sum, each));
  }
  return [...sums.values()].sort(
    (a, b) => a.at - b.at || compare(a.room, b.room) || compare(a.fingerprint, b.fingerprint),
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
