import type { ClientBase } from "pg";
import type { EventType, TaskEvent } from "../../core/task-event.ts";
import type { TaskState } from "../../core/task-row.ts";
import type { LogLine, Refusal, TaskRecord } from "../../ports/records.ts";
import { type HistoryRecord, type Position, positionMax, type Reads, totalMax } from "../../ports/store-reads.ts";
import { isTaskId, plainArray, sortedIds, textArray } from "./arrays.ts";
import { type RecordTuple, recordColumns, recordLength, recordOf } from "./rows.ts";
import { ask, type Statement, unprepared } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { restored } from "./text.ts";

const selectTasks: Statement = {
  name: "select_tasks",
  text: `
    select ${recordColumns}
    from unnest($1::uuid[]) with ordinality n (id, nth)
    join task t on t.id = n.id
    left join open_task o on o.id = n.id
    left join outcome x on x.task = n.id
    order by n.nth`,
};

const selectEvents: Statement = {
  name: "select_events",
  text: `
    select version, at, type, state, attempt, worker, data
    from task_event
    where task = $1
    order by version
    limit $2
    offset $3`,
};

const countEvents: Statement = {
  name: "count_events",
  text: `
    select count(*)
    from (select from task_event where task = $1 limit $2) found`,
};

const selectRefusals: Statement = {
  name: "select_refusals",
  text: `
    select at, attempt, worker, data, times
    from refusal
    where task = $1
    order by nth`,
};

const selectLogLines: Statement = {
  name: "select_log_lines",
  text: `
    select attempt, at, level, message, event, fields
    from log_line
    where task = $1
    order by line
    limit $2
    offset $3`,
};

const countLogLines: Statement = {
  name: "count_log_lines",
  text: `
    select count(*)
    from (select from log_line where task = $1 limit $2) found`,
};

// The lanes of each are an array in a text: an array of arrays would have to be as wide as the longest.
const countAhead: Statement = {
  name: "count_ahead",
  text: `
    select found.count
    from unnest($1::text[], $2::integer[], $3::uuid[]) with ordinality a (lanes, rank, id, nth)
    cross join lateral (
      select count(*)
      from (
        select
        from unnest(a.lanes::integer[]) l (lane)
        cross join lateral (
          select
          from open_task o
          where o.lane = l.lane
            and o.state = 'pending'
            and o.run_at is null
            and o.place < int4send(a.rank # '-2147483648'::integer) || uuid_send(a.id)
          order by o.place
          limit $4
        ) ahead
        limit $4
      ) counted
    ) found
    order by a.nth`,
};

const selectHistories: Statement = unprepared(`
    with page as materialized (
      select id
      from task
      where $1::uuid is null
        or id > $1
      order by id
      limit $2
    )
    select ${recordColumns},
      (
        select json_agg(
          json_build_array(e.version, e.at, e.type, e.state, e.attempt, e.worker, e.data)
          order by e.version
        )
        from task_event e
        where e.task = p.id
      )::text
    from page p
    join task t on t.id = p.id
    left join open_task o on o.id = p.id
    left join outcome x on x.task = p.id
    order by p.id`);

const selectChildActivity: Statement = {
  name: "select_child_activity",
  text: `
    select t.parent, max(coalesce(o.active_at, x.active_at))
    from unnest($1::uuid[]) n (parent)
    join task t on t.parent = n.parent
    left join open_task o on o.id = t.id
    left join outcome x on x.task = t.id
    group by t.parent`,
};

export async function readTasks(client: ClientBase, ids: readonly string[]): Promise<TaskRecord[]> {
  const rows = await ask<RecordTuple>(client, selectTasks, [plainArray(ids.filter(isTaskId))]);
  return rows.map(recordOf);
}

type EventTuple = readonly [
  version: number,
  at: number,
  type: EventType,
  state: TaskState,
  attempt: number,
  worker: string | null,
  data: string | null,
];

export async function readEvents(
  client: ClientBase,
  { task, limit, offset }: Reads["events"]["query"],
): Promise<Reads["events"]["answer"]> {
  if (!isTaskId(task)) return { items: [], ...totalOf(0), refusals: [] };
  type Line = [at: number, attempt: number | null, worker: string | null, data: string | null, times: number];
  const [rows, [total], refusals] = await Promise.all([
    ask<EventTuple>(client, selectEvents, [task, limit, offset]),
    ask<[number]>(client, countEvents, [task, totalMax + 1]),
    ask<Line>(client, selectRefusals, [task]),
  ]);
  return {
    items: rows.map((row) => eventOf(task, row)),
    ...totalOf(total?.[0] as number),
    refusals: refusals.map(([at, attempt, worker, data, times]): Refusal & { times: number } => {
      return { task, at, attempt, worker, data, times };
    }),
  };
}

function eventOf(task: string, [version, at, type, state, attempt, worker, data]: EventTuple): TaskEvent {
  return { task, version, at, type, state, attempt, worker, data };
}

type LogTuple = readonly [
  ...[attempt: number, at: number, level: string, message: string],
  ...[event: string | null, fields: string | null],
];

export async function readLogs(
  client: ClientBase,
  { task, limit, offset }: Reads["logs"]["query"],
): Promise<Reads["logs"]["answer"]> {
  if (!isTaskId(task)) return { items: [], ...totalOf(0) };
  const [rows, [total]] = await Promise.all([
    ask<LogTuple>(client, selectLogLines, [task, limit, offset]),
    ask<[number]>(client, countLogLines, [task, totalMax + 1]),
  ]);
  return { items: rows.map((row) => logLineOf(task, row)), ...totalOf(total?.[0] as number) };
}

function logLineOf(task: string, [attempt, at, level, message, event, fields]: LogTuple): LogLine {
  const line = { task, attempt, at, level, message };
  return { ...line, ...(event !== null && { event }), ...(fields !== null && { fields }) };
}

export async function readPositions(
  client: ClientBase,
  { asked }: Reads["positions"]["query"],
): Promise<readonly Position[]> {
  const rows = await ask<[number]>(client, countAhead, [
    textArray(asked.map(({ lanes }) => plainArray([...new Set(lanes)]))),
    plainArray(asked.map(({ rank }) => rank)),
    plainArray(asked.map(({ id }) => id)),
    positionMax,
  ]);
  return rows.map(([ahead]) =>
    ahead >= positionMax ? { position: positionMax, exact: false } : { position: ahead + 1, exact: true },
  );
}

export async function readHistories(
  client: ClientBase,
  { after, limit }: Reads["histories"]["query"],
): Promise<HistoryRecord[]> {
  const rows = await ask<[...RecordTuple, events: string | null]>(client, selectHistories, [after, limit]);
  return rows.map((row) => {
    const task = recordOf(row.slice(0, recordLength) as unknown as RecordTuple);
    return { task, events: eventsIn(task.card.id, row[recordLength] as string | null) };
  });
}

function eventsIn(task: string, text: string | null): TaskEvent[] {
  const tuples = text === null ? [] : (JSON.parse(text) as EventTuple[]);
  return tuples.map((tuple) => {
    const event = eventOf(task, tuple);
    return { ...event, worker: restoredOrNull(event.worker), data: restoredOrNull(event.data) };
  });
}

function restoredOrNull(text: string | null): string | null {
  return text === null ? null : restored(text);
}

export async function readChildActivity(client: ClientBase, parents: readonly string[]): Promise<Map<string, number>> {
  return new Map(await ask<[string, number]>(client, selectChildActivity, [plainArray(sortedIds(parents))]));
}
