import {
  type FailureKind,
  type FailureQuery,
  failureKindsMax,
  failurePage,
  isWanted,
  type StatisticQuery,
  type StatisticSum,
  statisticSums,
} from "../../core/statistic-sums.ts";
import { failuresBy, hourMs, minuteMs, statisticsBy } from "../../core/statistics.ts";
import { partOf } from "../../core/window.ts";
import type { StatisticReads, StatisticStore } from "../../ports/statistic-store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import type { Memory, Statistics } from "./memory.ts";
import { compareText } from "./sorted-list.ts";

/** One step for whatever time there is. */
const allTime = Number.MAX_SAFE_INTEGER;

export function statistics(memory: Memory): StatisticStore {
  return {
    async add(counted) {
      memory.minutes = added(memory.minutes, counted, minuteMs);
      memory.hours = added(memory.hours, counted, hourMs);
      memory.kinds = frozenCopy(failuresBy(allTime, [...memory.kinds, ...counted.failures]));
    },
    async trim({ minutes, hours, limit }) {
      const all = rowsOf(memory);
      memory.minutes = since(memory.minutes, minutes, limit);
      memory.hours = since(memory.hours, hours, limit);
      memory.kinds = without(memory.kinds, ({ lastAt }) => lastAt < hours, limit);
      return all - rowsOf(memory);
    },
  };
}

function added(before: Statistics, counted: Statistics, stepMs: number): Statistics {
  return frozenCopy({
    statistics: statisticsBy(stepMs, [...before.statistics, ...counted.statistics]),
    failures: failuresBy(stepMs, [...before.failures, ...counted.failures]),
  });
}

function since({ statistics: counts, failures }: Statistics, at: number, limit: number): Statistics {
  const isOld = (each: { readonly at: number }): boolean => each.at < at;
  return { statistics: without(counts, isOld, limit), failures: without(failures, isOld, limit) };
}

function without<T>(items: readonly T[], isOld: (item: T) => boolean, limit: number): T[] {
  let left = limit;
  return items.filter((item) => {
    if (left === 0 || !isOld(item)) return true;
    left -= 1;
    return false;
  });
}

function rowsOf({ minutes, hours, kinds }: Memory): number {
  const rows = [minutes, hours].map(({ statistics: counts, failures }) => counts.length + failures.length);
  return rows.reduce((sum, count) => sum + count, kinds.length);
}

function keptOf(memory: Memory, { keptMs }: { readonly keptMs: number }): Statistics {
  return keptMs === minuteMs ? memory.minutes : memory.hours;
}

export function readStatistics(memory: Memory, query: StatisticQuery): StatisticSum[] {
  const { statistics: counts } = keptOf(memory, query);
  return statisticSums(
    counts.filter((each) => isWanted(query, each)),
    query,
  );
}

export function readFailures(memory: Memory, query: FailureQuery): StatisticReads["failures"]["answer"] {
  const isMeant = ({ fingerprint }: FailureKind) => query.fingerprint === null || fingerprint === query.fingerprint;
  const parts = keptOf(memory, query)
    .failures.filter((each) => isWanted(query, each) && isMeant(each))
    .map(({ room, fingerprint, tasks, at }) => ({ room, fingerprint, tasks, part: partOf(query, at) }));
  const kinds = kindsOf(memory).filter(
    (kind) => kind.lastAt >= query.since && isMeant(kind) && isWanted(query, { ...kind, at: query.since }),
  );
  return failurePage(parts, kinds.slice(0, failureKindsMax), query);
}

/** The last seen first. */
function kindsOf({ kinds }: Memory): FailureKind[] {
  const bare = kinds.map(({ at: _, tasks: __, ...kind }) => kind);
  return bare.sort((a, b) => b.lastAt - a.lastAt || compareText(a.room, b.room));
}
