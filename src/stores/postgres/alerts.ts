// Worker events that are alerts, over all workers. They have an index of their own.

import type { ClientBase } from "pg";
import { alertDataOf } from "../../core/alert.ts";
import type { WorkerEvent } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { textArray } from "./arrays.ts";
import { ask, type Statement, unprepared } from "./statement.ts";
import { totalOf } from "./task-list.ts";

const wanted = `
    from worker_event
    where type = 'worker.alert'
      and ($1::text[] is null or worker = any ($1::text[]))
      and at >= $2::bigint
      and ($3::text is null or starts_with(data, $3::text))`;

const selectAlerts: Statement = unprepared(`
    select worker, at, type, data
    ${wanted}
    order by number desc
    limit $4
    offset $5`);

const countAlerts: Statement = unprepared(`
    select count(*)
    from (
      select
      ${wanted}
      limit $4
    ) found`);

export async function readAlerts(
  client: ClientBase,
  { severity, workers, since = 0, limit, offset }: Reads["alerts"]["query"],
): Promise<Page<WorkerEvent>> {
  const values = [
    workers === undefined ? null : textArray(workers),
    since,
    severity === undefined ? null : alertDataOf(severity),
  ];
  const [rows, [total]] = await Promise.all([
    ask<[worker: string, at: number, type: string, data: string | null]>(client, selectAlerts, [
      ...values,
      limit,
      offset,
    ]),
    ask<[number]>(client, countAlerts, [...values, totalMax + 1]),
  ]);
  const items = rows.map(([worker, at, type, data]): WorkerEvent => ({ worker, at, type, data }));
  return { items, ...totalOf(total?.[0] as number) };
}
