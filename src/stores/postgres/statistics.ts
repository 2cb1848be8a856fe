// What was counted. Every server adds to the same rows, in the same order, so that none waits for another in a circle.

import {
  type FailureCount,
  failuresBy,
  hourMs,
  minuteMs,
  type Statistic,
  statisticsBy,
} from "../../core/statistics.ts";
import type { StatisticStore } from "../../ports/statistic-store.ts";
import { jsonRows } from "./arrays.ts";
import type { Database } from "./database.ts";
import { ask, type Statement } from "./statement.ts";
import { transact } from "./transact.ts";

// Mirrors addedCounts of core/statistics.ts; the contract test holds the two together.
const added = (column: string): string => `coalesce(
        (
          select array_agg(coalesce(u.before, 0) + coalesce(u.more, 0) order by u.bucket)
          from unnest(s.${column}, excluded.${column}) with ordinality u (before, more, bucket)
        ),
        '{}'
      )`;

const addStatistics: Statement = {
  name: "add_statistics",
  text: `
    insert into statistic as s (
      kept_ms, at, room, job, submitted, started, completed, failed, cancelled, lost, retried, wait, run
    )
    select
      $2, r.at, r.room, r.job, r.submitted, r.started, r.completed, r.failed, r.cancelled, r.lost, r.retried, r.wait,
      r.run
    from json_to_recordset($1::json) r (
      at bigint, room text, job text, submitted integer, started integer, completed integer, failed integer,
      cancelled integer, lost integer, retried integer, wait integer[], run integer[]
    )
    order by r.at, r.room collate "C", r.job collate "C"
    on conflict (kept_ms, at, room, job) do update
    set
      submitted = s.submitted + excluded.submitted,
      started = s.started + excluded.started,
      completed = s.completed + excluded.completed,
      failed = s.failed + excluded.failed,
      cancelled = s.cancelled + excluded.cancelled,
      lost = s.lost + excluded.lost,
      retried = s.retried + excluded.retried,
      wait = ${added("wait")},
      run = ${added("run")}`,
};

// Mirrors addedFailures of core/statistics.ts, as above.
const addFailures: Statement = {
  name: "add_failures",
  text: `
    insert into failure as f (room, fingerprint, job, code, error, task, first_at, last_at)
    select r.room, r.fingerprint, r.job, r.code, r.error, r.task, r."firstAt", r."lastAt"
    from json_to_recordset($1::json) r (
      room text, fingerprint text, job text, code text, error text, task text, "firstAt" bigint, "lastAt" bigint
    )
    order by r.room collate "C", r.fingerprint collate "C"
    on conflict (room, fingerprint) do update
    set
      error = case when excluded.last_at >= f.last_at then excluded.error else f.error end,
      task = case when excluded.last_at >= f.last_at then excluded.task else f.task end,
      first_at = least(f.first_at, excluded.first_at),
      last_at = greatest(f.last_at, excluded.last_at)`,
};

const addFailureCounts: Statement = {
  name: "add_failure_counts",
  text: `
    insert into failure_count as c (kept_ms, at, room, fingerprint, tasks)
    select $2, r.at, r.room, r.fingerprint, r.tasks
    from json_to_recordset($1::json) r (at bigint, room text, fingerprint text, tasks integer)
    order by r.at, r.room collate "C", r.fingerprint collate "C"
    on conflict (kept_ms, at, room, fingerprint) do update
    set tasks = c.tasks + excluded.tasks`,
};

/** Where they lie, and not which they are: nobody writes to what is so old. */
const oldRows = (table: string, where: string): string => `
      delete from ${table}
      where ctid = any (array(select ctid from ${table} where ${where} limit $5))
      returning 1`;

const trimStatistics: Statement = {
  name: "trim_statistics",
  text: `
    with
    minutes as (${oldRows("statistic", "kept_ms = $1 and at < $2")}
    ),
    hours as (${oldRows("statistic", "kept_ms = $3 and at < $4")}
    ),
    failure_minutes as (${oldRows("failure_count", "kept_ms = $1 and at < $2")}
    ),
    failure_hours as (${oldRows("failure_count", "kept_ms = $3 and at < $4")}
    ),
    kinds as (${oldRows("failure", "last_at < $4")}
    )
    select
      (select count(*) from minutes) + (select count(*) from hours) + (select count(*) from failure_minutes)
      + (select count(*) from failure_hours) + (select count(*) from kinds)`,
};

export function statistics(database: Database): StatisticStore {
  return {
    async add(counted) {
      const writes = [
        ...[minuteMs, hourMs].flatMap((keptMs) => [
          rows(addStatistics, statisticsBy(keptMs, counted.statistics), keptMs),
          rows(addFailureCounts, failuresBy(keptMs, counted.failures), keptMs),
        ]),
        rows(addFailures, kindsOf(counted.failures)),
      ].flat();
      if (writes.length === 0) return;
      let isUnheard = false;
      const write = transact(
        database,
        async (client) => {
          await Promise.all(writes.map(([statement, ...values]) => ask(client, statement, values)));
        },
        () => {
          isUnheard = true;
        },
      );
      await write.catch((error: unknown) => {
        if (!isUnheard) throw error;
        database.log.warn("It is not known whether statistics were written; they are left at that", { error });
      });
    },
    async trim({ minutes, hours, limit }) {
      return transact(database, async (client) => {
        const [row] = await ask<[number]>(client, trimStatistics, [minuteMs, minutes, hourMs, hours, limit]);
        return row?.[0] ?? 0;
      });
    },
  };
}

type Write = readonly [Statement, string, ...number[]];

function rows(statement: Statement, all: readonly (Statistic | FailureCount)[], ...more: number[]): Write[] {
  return all.length === 0 ? [] : [[statement, jsonRows(all), ...more]];
}

/** One for each room and fingerprint: a statement writes no row twice. */
function kindsOf(failures: readonly FailureCount[]): FailureCount[] {
  return failuresBy(Number.MAX_SAFE_INTEGER, failures);
}
