// Tasks that a message broker is to be told of, and those it was told of.

import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { change, query } from "./statement.ts";

// Mirrors lastChange of core/ready-at.ts; the contract test holds the two together. Only a task that has been counted on is
// looked up in the history: for all others each move is a change.
const ofLastChange = (column: "version" | "at", present: string): string => `
    case
      when children_done is null then ${present}
      else (
        select e.${column}
        from task_event e
        where e.task = open_task.id and e.type <> 'task.counted'
        order by e.version desc
        limit 1
      )
    end`;
const changedIn = ofLastChange("version", "version");
const changedAt = ofLastChange("at", "active_at");

// What is said of a task as it was before its last change would never be asked for.
const updateMessage = `
  update open_task
  set message = ?, message_at = ?
  where id = ?
    and coalesce(message, 0) <= ?
    and (version = ? or (state = 'pending' and version > ? and ? >= ${changedIn}))`;

const isTold = `(message is not null and message >= ${changedIn})`;
const isUntold = `(message is null or message < ${changedIn})`;

const readyWhere = (condition: string): string => `
  select id, version
  from open_task
  where lane = ? and state = 'pending' and run_at is null and ${condition}
  order by rank, id
  limit +?`;

export const selectUnpublished = readyWhere(`${changedAt} < ? and ${isUntold}`);
export const selectUnheeded = readyWhere(`${isTold} and message_at < ?`);

export const selectToldInFront = `
  select count(told_at)
  from (
    select iif(${isTold}, message_at, null) as told_at
    from open_task
    where lane = ? and state = 'pending' and run_at is null and (${isUntold} or message_at >= ?)
    order by rank, id
    limit +?
  )`;

export function confirm(db: DatabaseSync): (messages: readonly Message[], at: number) => void {
  const note = change(db, updateMessage);
  return (messages, at) => {
    for (const { task, version } of messages) note(version, at, task, version, version, version, version);
  };
}

const selectMessage = `
  select 1
  from open_task
  where id = ? and ${isTold}`;

export function messageReader(db: DatabaseSync): (query: { readonly task: string }) => boolean {
  const select = query<[number]>(db, selectMessage);
  return ({ task }) => select.get(task) !== undefined;
}

export function toldInFrontReader(db: DatabaseSync): (query: Reads["toldInFront"]["query"]) => number {
  const select = query<[number]>(db, selectToldInFront);
  return ({ lane, confirmedSince, among }) => select.get(lane, confirmedSince, among)?.[0] ?? 0;
}

export function unpublishedFinder(db: DatabaseSync): (query: Find["unpublished"]["query"]) => Message[] {
  const select = messageFinder(db, selectUnpublished);
  return ({ lane, activeBefore, limit }) => select(lane, activeBefore, limit);
}

export function unheededFinder(db: DatabaseSync): (query: Find["unheeded"]["query"]) => Message[] {
  const select = messageFinder(db, selectUnheeded);
  return ({ lane, confirmedBefore, limit }) => select(lane, confirmedBefore, limit);
}

function messageFinder(db: DatabaseSync, sql: string): (...values: number[]) => Message[] {
  const select = query<[string, number]>(db, sql);
  return (...values) => select.all(...values).map(([task, version]) => ({ task, version }));
}
