// Tables that grow with history are cut into weeks by task id, which is time. Weeks are made ahead of their time; an old
// week that holds nothing anyone keeps is dropped whole, which costs the same however much was in it.

import type { ClientBase } from "pg";
import { uuid7Floor } from "../../core/uuid7.ts";
import { ask, type Statement, unprepared } from "./statement.ts";

/** In the order in which they are locked, and the column each is cut by. */
const tables = [
  { table: "task", column: "id" },
  { table: "outcome", column: "task" },
  { table: "task_event", column: "task" },
  { table: "refusal", column: "task" },
  { table: "log_line", column: "task" },
] as const;

const dayMs = 24 * 3_600_000;
const weekMs = 7 * dayMs;
/** The first Monday of 1970. */
const mondayMs = 4 * dayMs;

/** This week, and so many more. */
export const weeksAhead = 4;

export interface Week {
  /** As part of a table's name. */
  readonly name: string;
  readonly startAt: number;
  readonly endAt: number;
}

export function weekOf(at: number): Week {
  const startAt = Math.floor((at - mondayMs) / weekMs) * weekMs + mondayMs;
  const name = new Date(startAt).toISOString().slice(0, 10).replaceAll("-", "");
  return { name, startAt, endAt: startAt + weekMs };
}

const selectPartitions: Statement = unprepared(`
    select c.relname::text
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where c.relnamespace = current_schema::regnamespace`);

/** The weeks that every table has. */
export async function existingWeeks(client: ClientBase): Promise<Week[]> {
  const found = new Set((await ask<[string]>(client, selectPartitions)).map(([partition]) => partition));
  const names = [...found].flatMap((partition) => /^task_(\d{8})$/.exec(partition)?.[1] ?? []);
  return names
    .filter((name) => tables.every(({ table }) => found.has(`${table}_${name}`)))
    .map((name) => weekOf(Date.parse(`${name.slice(0, 4)}-${name.slice(4, 6)}-${name.slice(6)}T00:00:00Z`)))
    .sort((a, b) => a.startAt - b.startAt);
}

/** Makes the weeks that are missing from this one on. To be called in a transaction. */
export async function makeWeeks(client: ClientBase, now: number): Promise<Week[]> {
  const there = new Set((await existingWeeks(client)).map((week) => week.name));
  const wanted = Array.from({ length: weeksAhead + 1 }, (_, index) => weekOf(now + index * weekMs));
  const missing = wanted.filter((week) => !there.has(week.name));
  if (missing.length > 0) await client.query(missing.flatMap((week) => tables.map(makeOne(week))).join("\n"));
  return missing;
}

/**
 * A table is made and then attached, because making it in place would lock out every reader and writer. Rows that came
 * before their week was made wait in the default partition and move over.
 */
function makeOne({ name, startAt, endAt }: Week): (of: (typeof tables)[number]) => string {
  const [from, to] = [uuid7Floor(startAt), uuid7Floor(endAt)];
  return ({ table, column }) => `
    create table ${table}_${name} (like ${table} including all);
    with moved as (
      delete from ${table}_default
      where ${column} >= '${from}'
        and ${column} < '${to}'
      returning *
    )
    insert into ${table}_${name}
    select *
    from moved;
    alter table ${table} attach partition ${table}_${name} for values from ('${from}') to ('${to}');`;
}

/** A smaller week is emptied in slices: dropping locks everyone out for a moment. */
export const dropFromTasks = 10_000;

/** Whether all of a week may go: nothing open, nothing that ended later, no child of an open parent. */
export async function mayDrop(client: ClientBase, week: Week, finishedBefore: number): Promise<boolean> {
  if (week.endAt > finishedBefore) return false;
  const [row] = await ask<[boolean]>(client, canDrop(week), [finishedBefore, dropFromTasks]);
  return row?.[0] === true;
}

function canDrop({ name, startAt, endAt }: Week): Statement {
  return unprepared(`
    select
      (select count(*) from (select from task_${name} limit $2) t) in (0, $2)
      and not exists (
        select
        from open_task
        where id >= '${uuid7Floor(startAt)}'
          and id < '${uuid7Floor(endAt)}'
      )
      and not exists (select from outcome_${name} where finished_at >= $1)
      and not exists (
        select
        from task_${name} c
        join open_task p on p.id = c.parent
      )`);
}

// Few tasks have marks, so the table that has them is not cut into weeks. But these may have many.
const dropMarks: Statement = unprepared(`
    with gone as (
      delete from message_mark
      where (task, chunk) in (
        select task, chunk
        from message_mark
        where task >= $1
          and task < $2
        limit $3
      )
      returning task
    )
    select count(*)
    from gone`);

const marksAtOnce = 1_000;

/** Nobody can add to those of a week that may be dropped. Answers whether there may be more. */
export async function dropSomeMarks(client: ClientBase, { startAt, endAt }: Week): Promise<boolean> {
  const [row] = await ask<[number]>(client, dropMarks, [uuid7Floor(startAt), uuid7Floor(endAt), marksAtOnce]);
  return row?.[0] === marksAtOnce;
}

/** Drops a week, whose marks have gone; answers how many tasks went. To be called in a transaction. */
export async function dropWeek(client: ClientBase, { name }: Week): Promise<number> {
  const names = tables.map(({ table }) => table);
  // Whoever holds one of them and waits for another would wait for us forever: we give up first, and come again.
  await client.query(`set local lock_timeout = '200ms'; lock table ${names.join(", ")} in access exclusive mode`);
  const [row] = await ask<[number]>(client, unprepared(`select count(*) from task_${name}`));
  await client.query(`drop table ${names.map((table) => `${table}_${name}`).join(", ")}`);
  return row?.[0] as number;
}
