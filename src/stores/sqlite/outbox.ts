// Effects that must follow a commit, kept until they have happened.

import type { DatabaseSync } from "node:sqlite";
import type { OutboxItem } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { query } from "./statement.ts";

const insertItem = `
  insert or replace into outbox (id, kind, key, data, at)
  values (?, ?, ?, ?, ?)`;

const deleteItem = `
  delete from outbox
  where id = ?`;

const selectItem = `
  select 1
  from outbox
  where id = ?`;

const selectItems = `
  select id, kind, key, data, at
  from outbox
  where kind = ? and at <= ?
  order by at, id
  limit +?`;

const selectKinds = `
  select kind, count(*)
  from outbox
  group by kind
  order by kind
  limit +?`;

export function outboxInserter(db: DatabaseSync): (item: OutboxItem) => void {
  const insert = db.prepare(insertItem);
  return ({ id, kind, key, data, at }) => void insert.run(id, kind, key, data, at);
}

export function outboxRemover(db: DatabaseSync): (id: string) => void {
  const remove = db.prepare(deleteItem);
  return (id) => void remove.run(id);
}

/** Whether an item is still to be done. */
export function outboxLooker(db: DatabaseSync): (id: string) => boolean {
  const select = query<[number]>(db, selectItem);
  return (id) => select.get(id) !== undefined;
}

export function outboxFinder(db: DatabaseSync): (query: Find["outbox"]["query"]) => OutboxItem[] {
  const select = query<[string, string, string, string | null, number]>(db, selectItems);
  return ({ kind, dueBy = Number.MAX_SAFE_INTEGER, limit }) =>
    select.all(kind, dueBy, limit).map(([id, kind, key, data, at]) => ({ id, kind, key, data, at }));
}

export function outboxKindsFinder(
  db: DatabaseSync,
): (query: Find["outboxKinds"]["query"]) => Find["outboxKinds"]["answer"] {
  const select = query<[kind: string, count: number]>(db, selectKinds);
  return ({ limit }) => select.all(limit).map(([kind, count]) => ({ kind, count }));
}
