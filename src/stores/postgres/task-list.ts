// Lists of tasks. They are planned with the values of the moment, so a filter that is not asked for is not looked at.

import type { ClientBase } from "pg";
import { isFinal } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import { type Page, type PageQuery, type TaskFilter, totalMax } from "../../ports/store-reads.ts";
import { isTaskId, plainArray, textArray } from "./arrays.ts";
import { type RecordTuple, recordColumns, recordOf } from "./rows.ts";
import { ask, type Statement, unprepared, type Value } from "./statement.ts";
import { storable } from "./text.ts";

/** By what never changes: rooms, lanes, parent. */
const byCard = `
      select t.id
      from task t
      where ($1::text[] is null or t.room = any ($1))
        and ($2::integer[] is null or t.lane = any ($2))
        and ($3::uuid is null or t.parent = $3)`;

/** By state or worker too: what is open and what has ended are kept apart. */
const byMoves = `
      select o.id
      from open_task o
      join task t on t.id = o.id
      where not $6
        and ($4::text is null or o.state = $4)
        and ($5::text is null or o.worker = $5)
        and ($1::text[] is null or t.room = any ($1))
        and ($2::integer[] is null or o.lane = any ($2))
        and ($3::uuid is null or o.parent = $3)
      union all
      select x.task
      from outcome x
      join task t on t.id = x.task
      where not $7
        and ($4::text is null or x.state = $4)
        and ($5::text is null or x.worker = $5)
        and ($1::text[] is null or t.room = any ($1))
        and ($2::integer[] is null or t.lane = any ($2))
        and ($3::uuid is null or t.parent = $3)`;

const listByCard: Statement = pageOf(byCard, "$4", "$5");
const countByCard: Statement = countOf(byCard, "$4");
const listByMoves: Statement = pageOf(byMoves, "$8", "$9");
const countByMoves: Statement = countOf(byMoves, "$8");

function pageOf(ids: string, limit: string, offset: string): Statement {
  return unprepared(`
    with page as materialized (
      select id
      from (${ids}
      ) found
      order by id desc
      limit ${limit}
      offset ${offset}
    )
    select ${recordColumns}
    from page p
    join task t on t.id = p.id
    left join open_task o on o.id = p.id
    left join outcome x on x.task = p.id
    order by p.id desc`);
}

function countOf(ids: string, limit: string): Statement {
  return unprepared(`
    select count(*)
    from (${ids}
      limit ${limit}
    ) found`);
}

export async function taskList(client: ClientBase, query: TaskFilter & PageQuery): Promise<Page<TaskRecord>> {
  const { rooms, lanes, parent, state, worker, limit, offset } = query;
  if (parent !== undefined && !isTaskId(parent)) return { items: [], total: 0, totalExact: true };
  const card: Value[] = [
    rooms === undefined ? null : textArray(rooms),
    lanes === undefined ? null : plainArray(lanes),
    parent ?? null,
  ];
  const isByCard = state === undefined && worker === undefined;
  const [openOnly, finalOnly] = state === undefined ? [false, false] : [!isFinal(state), isFinal(state)];
  const moves = [state ?? null, worker === undefined ? null : storable(worker), finalOnly, openOnly];
  const values = isByCard ? card : [...card, ...moves];
  const [list, count] = isByCard ? [listByCard, countByCard] : [listByMoves, countByMoves];
  const [rows, [total]] = await Promise.all([
    ask<RecordTuple>(client, list, [...values, limit, offset]),
    ask<[number]>(client, count, [...values, totalMax + 1]),
  ]);
  return { items: rows.map(recordOf), ...totalOf(total?.[0] as number) };
}

/** Counted up to one more than the limit, which says that there are more. */
export function totalOf(counted: number): { readonly total: number; readonly totalExact: boolean } {
  return { total: Math.min(counted, totalMax), totalExact: counted <= totalMax };
}
