// Worker events that are alerts, over all workers. They have an index of their own.

import type { DatabaseSync } from "node:sqlite";
import { alertDataOf } from "../../core/alert.ts";
import type { WorkerEvent } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { pageOf } from "./read-tasks.ts";
import { namedQuery } from "./statement.ts";

const wanted = `
  from worker_event
  where type = 'worker.alert'
    and ($workers is null or worker in (select value from json_each($workers)))
    and at >= $since
    and ($beginning is null or substr(data, 1, length($beginning)) = $beginning)`;

const selectAlerts = `
  select worker, at, type, data
  ${wanted}
  order by id desc
  limit +$limit offset +$offset`;

const countAlerts = `
  select count(*)
  from (select 1 ${wanted} limit +$limit)`;

export function alertReader(db: DatabaseSync): (query: Reads["alerts"]["query"]) => Page<WorkerEvent> {
  const select = namedQuery<[string, number, string, string | null]>(db, selectAlerts);
  const count = namedQuery<[number]>(db, countAlerts);
  return ({ severity, workers, since = 0, limit, offset }) => {
    const values = {
      workers: workers === undefined ? null : JSON.stringify(workers),
      beginning: severity === undefined ? null : alertDataOf(severity),
      since,
    };
    const rows = select.all({ ...values, limit, offset });
    const items = rows.map(([worker, at, type, data]) => ({ worker, at, type, data }));
    return pageOf(items, count.get({ ...values, limit: totalMax + 1 })?.[0] ?? 0);
  };
}
