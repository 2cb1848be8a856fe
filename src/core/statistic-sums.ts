// Counts as somebody asks for them: those of a span of time and of some rooms and jobs, summed up for each part of it.

import type { Histogram } from "./histogram.ts";
import {
  type CountName,
  type Counts,
  countNames,
  type FailureCount,
  nothingCounted,
  type Statistic,
} from "./statistics.ts";
import { partOf, partsOf, type Span } from "./window.ts";

/** Null: of all. */
export interface StatisticFilter extends Span {
  readonly rooms: readonly string[] | null;
  readonly jobs: readonly string[] | null;
}

export interface StatisticQuery extends StatisticFilter {
  /** Each job for itself, or all of them together. */
  readonly byJob: boolean;
}

export interface StatisticSum extends Counts {
  /** When the part of the span begins. */
  readonly at: number;
  /** Empty where all jobs are summed up. */
  readonly job: string;
}

export const failureOrders = ["last", "tasks"] as const;

export interface FailureQuery extends StatisticFilter {
  readonly fingerprint: string | null;
  /** Those that were last seen first, or those that most tasks failed by. */
  readonly sort: (typeof failureOrders)[number];
  readonly limit: number;
  readonly offset: number;
}

/** What is kept about failures of a room that are alike. */
export type FailureKind = Omit<FailureCount, "at" | "tasks">;

/** How many tasks failed so in one part of the span. */
export interface FailurePart extends Pick<FailureCount, "room" | "fingerprint" | "tasks"> {
  /** From 0. */
  readonly part: number;
}

export interface FailureSummary extends Omit<FailureCount, "at" | "room"> {
  /** How many failed in each part of the span. */
  readonly trend: readonly number[];
}

/** At most so many kinds of failures are told apart, those that were seen last. */
export const failureKindsMax = 10_000;

export function isWanted(query: StatisticFilter, { at, room, job }: Pick<Statistic, "at" | "room" | "job">): boolean {
  return (
    at >= query.since &&
    at < query.until &&
    query.rooms?.includes(room) !== false &&
    query.jobs?.includes(job) !== false
  );
}

interface Sum extends Record<CountName, number> {
  readonly at: number;
  readonly job: string;
  readonly wait: number[];
  readonly run: number[];
}

/** `wanted` are those that the filter lets pass. They may be tens of thousands, so they are added in place. */
export function statisticSums(wanted: Iterable<Statistic>, query: StatisticQuery): StatisticSum[] {
  const byJob = new Map<string, Map<number, Sum>>();
  for (const each of wanted) {
    const job = query.byJob ? each.job : "";
    const parts = byJob.get(job) ?? new Map<number, Sum>();
    byJob.set(job, parts);
    const part = partOf(query, each.at);
    const sum = parts.get(part) ?? emptySum(query.since + part * query.widthMs, job);
    parts.set(part, sum);
    for (const name of countNames) sum[name] += each[name];
    addTo(sum.wait, each.wait);
    addTo(sum.run, each.run);
  }
  const sums = [...byJob.values()].flatMap((parts) => [...parts.values()]);
  return sums.sort((a, b) => a.at - b.at || (a.job < b.job ? -1 : 1));
}

function emptySum(at: number, job: string): Sum {
  return { ...nothingCounted, at, job, wait: [], run: [] };
}

function addTo(sum: number[], more: Histogram): void {
  while (sum.length < more.length) sum.push(0);
  for (let bucket = 0; bucket < more.length; bucket += 1) {
    sum[bucket] = (sum[bucket] as number) + (more[bucket] as number);
  }
}

/** A page of failures. Those of several rooms that are alike are one, whose sample is the last of them. */
export function failurePage(parts: Iterable<FailurePart>, kinds: readonly FailureKind[], query: FailureQuery) {
  const length = partsOf(query);
  const found = new Map<string, FailureSummary & { readonly trend: number[] }>();
  // The last seen is the sample, so it comes first; of those of one moment, that of the first room.
  for (const kind of kinds.toSorted((a, b) => b.lastAt - a.lastAt || (a.room < b.room ? -1 : 1))) {
    const { room: _, ...about } = kind;
    const other = found.get(kind.fingerprint);
    const firstAt = Math.min(kind.firstAt, other?.firstAt ?? kind.firstAt);
    found.set(kind.fingerprint, { ...(other ?? { ...about, tasks: 0, trend: Array(length).fill(0) }), firstAt });
  }
  const sums = new Map<string, number>();
  for (const { fingerprint, part, tasks } of parts) {
    const trend = found.get(fingerprint)?.trend;
    if (trend === undefined) continue;
    trend[part] = (trend[part] ?? 0) + tasks;
    sums.set(fingerprint, (sums.get(fingerprint) ?? 0) + tasks);
  }
  const all = [...found.values()].flatMap((each) => {
    const tasks = sums.get(each.fingerprint) ?? 0;
    return tasks === 0 ? [] : [{ ...each, tasks }];
  });
  const byTime = (a: FailureSummary, b: FailureSummary): number =>
    b.lastAt - a.lastAt || (a.fingerprint < b.fingerprint ? -1 : 1);
  all.sort(query.sort === "last" ? byTime : (a, b) => b.tasks - a.tasks || byTime(a, b));
  const items: FailureSummary[] = all.slice(query.offset, query.offset + query.limit);
  return { items, total: all.length, totalExact: kinds.length < failureKindsMax };
}
