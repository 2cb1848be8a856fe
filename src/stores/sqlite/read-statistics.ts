import type { DatabaseSync } from "node:sqlite";
import { failureKindsMax, failurePage, type StatisticFilter, statisticSums } from "../../core/statistic-sums.ts";
import type { Statistic } from "../../core/statistics.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { namedQuery } from "./statement.ts";
import { type StatisticValues, statisticColumns, statisticOf } from "./statistics.ts";

const inRooms = "($rooms is null or room in (select value from json_each($rooms)))";
const inJobs = "($jobs is null or job in (select value from json_each($jobs)))";
const meant = "($fingerprint is null or fingerprint = $fingerprint)";

const selectStatistics = `
  select ${statisticColumns}
  from statistic
  where kept_ms = $kept and at >= $since and at < $until and ${inRooms} and ${inJobs}`;

const selectFailureParts = `
  select room, fingerprint, cast((at - $since) / $width as integer) as part, sum(tasks)
  from failure_count
  where kept_ms = $kept and at >= $since and at < $until and ${inRooms} and ${meant}
  group by room, fingerprint, part`;

const selectFailureKinds = `
  select room, fingerprint, job, code, error, task, first_at, last_at
  from failure
  where last_at >= $since and ${inRooms} and ${inJobs} and ${meant}
  order by last_at desc, room
  limit +$limit`;

type KindValues = [
  ...[room: string, fingerprint: string, job: string, code: string | null],
  ...[error: string, task: string, firstAt: number, lastAt: number],
];

export function statisticReader(
  db: DatabaseSync,
): (query: Reads["statistics"]["query"]) => Reads["statistics"]["answer"] {
  const select = namedQuery<StatisticValues>(db, selectStatistics);
  return (query) => statisticSums(oneByOne(select.iterate(valuesOf(query))), query);
}

/** Of a month there may be hundreds of thousands. */
function* oneByOne(rows: Iterable<StatisticValues>): Generator<Statistic> {
  for (const row of rows) yield statisticOf(row);
}

export function failureReader(db: DatabaseSync): (query: Reads["failures"]["query"]) => Reads["failures"]["answer"] {
  const selectParts = namedQuery<[string, string, number, number]>(db, selectFailureParts);
  const selectKinds = namedQuery<KindValues>(db, selectFailureKinds);
  return (query) => {
    const values = { ...valuesOf(query), fingerprint: query.fingerprint };
    const parts = selectParts
      .all({ ...values, width: query.widthMs })
      .map(([room, fingerprint, part, tasks]) => ({ room, fingerprint, part, tasks }));
    const kinds = selectKinds
      .all({ ...values, limit: failureKindsMax })
      .map(([room, fingerprint, job, code, error, task, firstAt, lastAt]) => {
        return { room, fingerprint, job, code, error, task, firstAt, lastAt };
      });
    return failurePage(parts, kinds, query);
  };
}

function valuesOf({ since, until, keptMs, rooms, jobs }: StatisticFilter) {
  const list = (texts: readonly string[] | null) => (texts === null ? null : JSON.stringify(texts));
  return { since, until, kept: keptMs, rooms: list(rooms), jobs: list(jobs) };
}
