// What was counted. There is one writer, so what is there is read, added to and written again.

import type { DatabaseSync } from "node:sqlite";
import type { Histogram } from "../../core/histogram.ts";
import {
  addedCounts,
  type FailureCount,
  failuresBy,
  hourMs,
  minuteMs,
  type Statistic,
  statisticsBy,
} from "../../core/statistics.ts";
import type { Counted, TrimTimes } from "../../ports/statistic-store.ts";
import { change, query, type Value } from "./statement.ts";

export const statisticColumns = `
  at, room, job, submitted, started, completed, failed, cancelled, lost, retried, wait, run`;

export type StatisticValues = [
  ...[at: number, room: string, job: string, submitted: number, started: number, completed: number],
  ...[failed: number, cancelled: number, lost: number, retried: number, wait: string, run: string],
];

const selectStatistic = `
  select ${statisticColumns}
  from statistic
  where kept_ms = ? and at = ? and room = ? and job = ?`;

const upsertStatistic = `
  insert or replace into statistic (kept_ms, ${statisticColumns})
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

// Mirrors addedFailures of core/statistics.ts; the contract test holds the two together.
const upsertFailure = `
  insert into failure (room, fingerprint, job, code, error, task, first_at, last_at)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict do update
  set
    error = iif(excluded.last_at >= last_at, excluded.error, error),
    task = iif(excluded.last_at >= last_at, excluded.task, task),
    first_at = min(first_at, excluded.first_at),
    last_at = max(last_at, excluded.last_at)`;

const upsertFailureCount = `
  insert into failure_count (kept_ms, at, room, fingerprint, tasks)
  values (?, ?, ?, ?, ?)
  on conflict do update
  set tasks = tasks + excluded.tasks`;

const deletions = [
  ["statistic", "kept_ms, at, room, job"],
  ["failure_count", "kept_ms, at, room, fingerprint"],
].map(
  ([table, key]) => `
  delete from ${table}
  where (${key}) in (
    select ${key}
    from ${table}
    where kept_ms = ? and at < ?
    limit +?
  )`,
);

const deleteFailures = `
  delete from failure
  where rowid in (
    select rowid
    from failure
    where last_at < ?
    limit +?
  )`;

/** As the port has them, but at once. */
export function statistics(db: DatabaseSync) {
  const addStatistic = statisticAdder(db);
  const addFailure = change(db, upsertFailure);
  const countFailure = change(db, upsertFailureCount);
  const remove = deletions.map((sql) => change(db, sql));
  const removeFailures = change(db, deleteFailures);

  function know({ room, fingerprint, job, code, error, task, firstAt, lastAt }: FailureCount): void {
    addFailure(room, fingerprint, job, code, error, task, firstAt, lastAt);
  }

  return {
    add(counted: Counted): void {
      for (const failure of counted.failures) know(failure);
      for (const keptMs of [minuteMs, hourMs]) {
        for (const each of statisticsBy(keptMs, counted.statistics)) addStatistic(keptMs, each);
        for (const { at, room, fingerprint, tasks } of failuresBy(keptMs, counted.failures)) {
          countFailure(keptMs, at, room, fingerprint, tasks);
        }
      }
    },
    trim({ minutes, hours, limit }: TrimTimes): number {
      const gone = remove.map((each) => each(minuteMs, minutes, limit) + each(hourMs, hours, limit));
      return gone.reduce((sum, count) => sum + count, removeFailures(hours, limit));
    },
  };
}

function statisticAdder(db: DatabaseSync): (keptMs: number, counted: Statistic) => void {
  const select = query<StatisticValues>(db, selectStatistic);
  const upsert = change(db, upsertStatistic);
  return (keptMs, counted) => {
    const { at, room, job } = counted;
    const before = select.get(keptMs, at, room, job);
    const sum = before === undefined ? counted : { ...addedCounts(statisticOf(before), counted), at, room, job };
    upsert(keptMs, ...valuesOf(sum));
  };
}

function valuesOf(counted: Statistic): Value[] {
  const { at, room, job, submitted, started, completed, failed, cancelled, lost, retried, wait, run } = counted;
  const counts = [submitted, started, completed, failed, cancelled, lost, retried];
  return [at, room, job, ...counts, JSON.stringify(wait), JSON.stringify(run)];
}

export function statisticOf(values: StatisticValues): Statistic {
  const [at, room, job, submitted, started, completed, failed, cancelled, lost, retried, wait, run] = values;
  const counts = { submitted, started, completed, failed, cancelled, lost, retried };
  return { at, room, job, ...counts, wait: JSON.parse(wait) as Histogram, run: JSON.parse(run) as Histogram };
}
