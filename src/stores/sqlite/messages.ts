// Tasks that a message broker is to be told of, and those it was told of.

import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { change, query } from "./statement.ts";

// What is said of a version that has passed would never be asked for.
const updateMessage = `
  update open_task
  set message = version, message_at = ?
  where id = ? and version = ?`;

const readyWhere = (condition: string): string => `
  select id, version
  from open_task
  where lane = ? and state = 'pending' and run_at is null and ${condition}
  order by rank, id
  limit +?`;

export const selectUnpublished = readyWhere("active_at < ? and message is not version");
export const selectUnheeded = readyWhere("message is version and message_at < ?");

export function confirm(db: DatabaseSync): (messages: readonly Message[], at: number) => void {
  const note = change(db, updateMessage);
  return (messages, at) => {
    for (const { task, version } of messages) note(at, task, version);
  };
}

const selectMessage = `
  select message
  from open_task
  where id = ?`;

export function messageReader(db: DatabaseSync): (query: { readonly task: string }) => number | null {
  const select = query<[number | null]>(db, selectMessage);
  return ({ task }) => select.get(task)?.[0] ?? null;
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
