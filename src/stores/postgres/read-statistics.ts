import type { ClientBase } from "pg";
import { bucketsMax, type Histogram, trimmed } from "../../core/histogram.ts";
import {
  type FailureKind,
  type FailurePart,
  failureKindsMax,
  failurePage,
  type StatisticFilter,
} from "../../core/statistic-sums.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { textArray } from "./arrays.ts";
import { ask, type Statement, unprepared, type Value } from "./statement.ts";

const inRooms = "($4::text[] is null or room = any ($4::text[]))";
const inJobs = "($5::text[] is null or job = any ($5::text[]))";

/** Bucket by bucket: to take the histograms apart, and put them together again, takes several times as long. */
const buckets = (column: string): string => {
  const sums = Array.from({ length: bucketsMax }, (_, bucket) => `sum(${column}[${bucket + 1}])`);
  return `array[${sums.join(", ")}]::text`;
};

/** Sums for each part of the span, and each job where that is wanted. */
const selectSums: Statement = unprepared(`
    select
      part, job, sum(submitted)::bigint, sum(started)::bigint, sum(completed)::bigint, sum(failed)::bigint,
      sum(cancelled)::bigint, sum(lost)::bigint, sum(retried)::bigint,
      ${buckets("wait")},
      ${buckets("run")}
    from (
      select
        $2::bigint + div(at - $2::bigint, $6::bigint)::bigint * $6::bigint as part,
        case when $7 then job else '' end as job,
        submitted, started, completed, failed, cancelled, lost, retried, wait, run
      from statistic
      where kept_ms = $1
        and at >= $2
        and at < $3
        and ${inRooms}
        and ${inJobs}
    ) p
    group by part, job
    order by part, job collate "C"`);

const selectFailureParts: Statement = unprepared(`
    select room, fingerprint, div(at - $2::bigint, $6::bigint)::integer as part, sum(tasks)::bigint
    from failure_count
    where kept_ms = $1
      and at >= $2
      and at < $3
      and ${inRooms}
      and ($5::text is null or fingerprint = $5)
    group by room, fingerprint, part`);

const selectFailureKinds: Statement = unprepared(`
    select room, fingerprint, job, code, error, task, first_at, last_at
    from failure
    where last_at >= $1
      and ($2::text is null or fingerprint = $2)
      and ${inRooms}
      and ${inJobs}
    order by last_at desc, room
    limit $3`);

type SumTuple = readonly [
  ...[part: number, job: string, submitted: number, started: number, completed: number],
  ...[failed: number, cancelled: number, lost: number, retried: number, wait: string, run: string],
];

export async function readStatistics(
  client: ClientBase,
  query: Reads["statistics"]["query"],
): Promise<Reads["statistics"]["answer"]> {
  const rows = await ask<SumTuple>(client, selectSums, [...filterValues(query), query.widthMs, query.byJob]);
  return rows.map(([at, job, submitted, started, completed, failed, cancelled, lost, retried, wait, run]) => {
    const counts = { submitted, started, completed, failed, cancelled, lost, retried };
    return { at, job, ...counts, wait: histogramOf(wait), run: histogramOf(run) };
  });
}

/** Of an array as PostgreSQL writes it; where nothing was in a bucket, there is no sum. */
function histogramOf(text: string): Histogram {
  const sums = text.slice(1, -1).split(",");
  return trimmed(sums.map((sum) => (sum === "NULL" ? 0 : Number(sum))));
}

type KindTuple = readonly [
  ...[room: string, fingerprint: string, job: string, code: string | null],
  ...[error: string, task: string, firstAt: number, lastAt: number],
];

export async function readFailures(
  client: ClientBase,
  query: Reads["failures"]["query"],
): Promise<Reads["failures"]["answer"]> {
  const [keptMs, since, until, rooms, jobs] = filterValues(query);
  const { fingerprint } = query;
  const [partRows, kindRows] = await Promise.all([
    ask<[string, string, number, number]>(client, selectFailureParts, [
      ...[keptMs, since, until, rooms, fingerprint, query.widthMs],
    ]),
    ask<KindTuple>(client, selectFailureKinds, [since, fingerprint, failureKindsMax, rooms, jobs]),
  ]);
  const found = partRows.map(([room, print, part, tasks]): FailurePart => ({ room, fingerprint: print, part, tasks }));
  const kinds = kindRows.map(([room, print, job, code, error, task, firstAt, lastAt]): FailureKind => {
    return { room, fingerprint: print, job, code, error, task, firstAt, lastAt };
  });
  return failurePage(found, kinds, query);
}

type FilterValues = [keptMs: number, since: number, until: number, rooms: Value, jobs: Value];

function filterValues({ keptMs, since, until, rooms, jobs }: StatisticFilter): FilterValues {
  const list = (texts: readonly string[] | null): string | null => (texts === null ? null : textArray(texts));
  return [keptMs, since, until, list(rooms), list(jobs)];
}
