// Questions about tasks and their histories.

import type { DatabaseSync } from "node:sqlite";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import {
  type HistoryRecord,
  type Page,
  type PageQuery,
  positionMax,
  type Reads,
  totalMax,
} from "../../ports/store-reads.ts";
import {
  cardColumns,
  type EventValues,
  eventColumns,
  eventOf,
  outcomeColumns,
  type RecordValues,
  recordOf,
  rowColumns,
} from "./rows.ts";
import { query } from "./statement.ts";

const selectTask = `
  select ${cardColumns}, ${rowColumns}, t.payload, ${outcomeColumns}
  from task t
  left join open_task o on o.id = t.id
  left join outcome r on r.task = t.id
  where t.id = ?`;

const selectIds = `
  select id
  from task
  where id > ?
  order by id
  limit +?`;

const selectEvents = `
  select ${eventColumns}
  from task_event
  where task = ?
  order by version
  limit +? offset +?`;

const countEvents = `
  select count(*)
  from task_event
  where task = ?`;

const selectRefusals = `
  select task, at, attempt, worker, data, times
  from refusal
  where task = ?
  order by number`;

const selectLogs = `
  select task, attempt, at, level, message
  from log_line
  where task = ?
  order by id
  limit +? offset +?`;

const countLogs = `
  select count(*)
  from log_line
  where task = ?`;

const countAhead = `
  select count(*)
  from (
    select 1
    from open_task
    where lane = ? and state = 'pending' and run_at is null and (rank, id) < (?, ?)
    limit +?
  )`;

const selectChildActivity = `
  select max(coalesce(o.active_at, r.finished_at))
  from task t
  left join open_task o on o.id = t.id
  left join outcome r on r.task = t.id
  where t.parent = ?`;

export function taskReader(db: DatabaseSync): (ids: readonly string[]) => TaskRecord[] {
  const select = query<RecordValues>(db, selectTask);
  return (ids) =>
    ids.flatMap((id) => {
      const values = select.get(id);
      return values === undefined ? [] : [recordOf(values)];
    });
}

export function historyReader(db: DatabaseSync): (query: Reads["histories"]["query"]) => HistoryRecord[] {
  const ids = query<[string]>(db, selectIds);
  const tasks = taskReader(db);
  const events = query<EventValues>(db, selectEvents);
  return ({ after, limit }) =>
    tasks(ids.all(after ?? "", limit).map(([id]) => id)).map((task) => ({
      task,
      events: events.all(task.card.id, -1, 0).map(eventOf),
    }));
}

type RefusalValues = [string, number, number | null, string | null, string | null, number];

export function eventReader(db: DatabaseSync): (query: Reads["events"]["query"]) => Reads["events"]["answer"] {
  const select = query<EventValues>(db, selectEvents);
  const count = query<[number]>(db, countEvents);
  const refusals = query<RefusalValues>(db, selectRefusals);
  return ({ task, limit, offset }) => ({
    ...pageOf(select.all(task, limit, offset).map(eventOf), count.get(task)?.[0] ?? 0),
    refusals: refusals.all(task).map(refusalOf),
  });
}

function refusalOf([task, at, attempt, worker, data, times]: RefusalValues): Refusal & { readonly times: number } {
  return { task, at, attempt, worker, data, times };
}

export function logReader(db: DatabaseSync): (query: { task: string } & PageQuery) => Page<LogLine> {
  const select = query<[string, number, number, string, string]>(db, selectLogs);
  const count = query<[number]>(db, countLogs);
  return ({ task, limit, offset }) => {
    const lines = select.all(task, limit, offset);
    const items = lines.map(([id, attempt, at, level, message]) => ({ task: id, attempt, at, level, message }));
    return pageOf(items, count.get(task)?.[0] ?? 0);
  };
}

/** `count` is the true number, or anything above totalMax. */
export function pageOf<T>(items: readonly T[], count: number): Page<T> {
  return { items, total: Math.min(count, totalMax), totalExact: count <= totalMax };
}

export function positionReader(db: DatabaseSync): (query: Reads["position"]["query"]) => Reads["position"]["answer"] {
  const ahead = query<[number]>(db, countAhead);
  return ({ id, rank, lanes }) => {
    let position = 1;
    for (const lane of new Set(lanes)) {
      position += ahead.get(lane, rank, id, positionMax + 1 - position)?.[0] ?? 0;
      if (position > positionMax) return { position: positionMax, exact: false };
    }
    return { position, exact: true };
  };
}

export function childActivityReader(db: DatabaseSync): (parents: readonly string[]) => Map<string, number> {
  const select = query<[number | null]>(db, selectChildActivity);
  return (parents) => {
    const latest = parents.map((parent) => [parent, select.get(parent)?.[0] ?? null] as const);
    return new Map(latest.filter((each): each is readonly [string, number] => each[1] !== null));
  };
}
