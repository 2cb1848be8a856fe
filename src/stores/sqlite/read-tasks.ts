// Questions about tasks and their histories.

import type { DatabaseSync } from "node:sqlite";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import {
  type HistoryRecord,
  type LinePlace,
  noPayload,
  type Page,
  type PageQuery,
  type Position,
  positionMax,
  type Reads,
  totalMax,
} from "../../ports/store-reads.ts";
import {
  bareOutcomeColumns,
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

const selectBareTask = `
  select ${cardColumns}, ${rowColumns}, '${noPayload}', ${bareOutcomeColumns}
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
  select task, attempt, at, level, message, event, fields
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
  return recordReader(db, selectTask);
}

/** Without payloads, results and details. */
export function bareTaskReader(db: DatabaseSync): (ids: readonly string[]) => TaskRecord[] {
  return recordReader(db, selectBareTask);
}

function recordReader(db: DatabaseSync, sql: string): (ids: readonly string[]) => TaskRecord[] {
  const select = query<RecordValues>(db, sql);
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

type LogValues = [
  ...[task: string, attempt: number, at: number, level: string, message: string],
  ...[event: string | null, fields: string | null],
];

export function logReader(db: DatabaseSync): (query: { task: string } & PageQuery) => Page<LogLine> {
  const select = query<LogValues>(db, selectLogs);
  const count = query<[number]>(db, countLogs);
  return ({ task, limit, offset }) => {
    return pageOf(select.all(task, limit, offset).map(logLineOf), count.get(task)?.[0] ?? 0);
  };
}

function logLineOf([task, attempt, at, level, message, event, fields]: LogValues): LogLine {
  const line = { task, attempt, at, level, message };
  return { ...line, ...(event !== null && { event }), ...(fields !== null && { fields }) };
}

/** `count` is the true number, or anything above totalMax. */
export function pageOf<T>(items: readonly T[], count: number): Page<T> {
  return { items, total: Math.min(count, totalMax), totalExact: count <= totalMax };
}

export function positionsReader(db: DatabaseSync): (query: Reads["positions"]["query"]) => readonly Position[] {
  const ahead = query<[number]>(db, countAhead);
  function positionOf({ id, rank, lanes }: LinePlace): Position {
    let position = 1;
    for (const lane of new Set(lanes)) {
      position += ahead.get(lane, rank, id, positionMax + 1 - position)?.[0] ?? 0;
      if (position > positionMax) return { position: positionMax, exact: false };
    }
    return { position, exact: true };
  }
  return ({ asked }) => asked.map(positionOf);
}

export function childActivityReader(db: DatabaseSync): (parents: readonly string[]) => Map<string, number> {
  const select = query<[number | null]>(db, selectChildActivity);
  return (parents) => {
    const latest = parents.map((parent) => [parent, select.get(parent)?.[0] ?? null] as const);
    return new Map(latest.filter((each): each is readonly [string, number] => each[1] !== null));
  };
}
