// What people and programs did to the fleet and to tasks.

import type { DatabaseSync } from "node:sqlite";
import type { AuditEntry } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { pageOf } from "./read-tasks.ts";
import { change, namedQuery } from "./statement.ts";

const insertEntry = `
  insert or replace into audit (id, at, actor, token, action, kind, target, note, data)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const wanted = `
  from audit
  where ($actor is null or actor = $actor)
    and ($action is null or action = $action)
    and ($kind is null or kind = $kind)
    and ($target is null or target = $target)
    and ($since is null or at >= $since)
    and ($before is null or at < $before)`;

const selectEntries = `
  select id, at, actor, token, action, kind, target, note, data
  ${wanted}
  order by id desc
  limit +$limit offset +$offset`;

const countEntries = `
  select count(*)
  from (select 1 ${wanted} limit +$limit)`;

type AuditValues = [
  ...[id: string, at: number, actor: string, token: string | null],
  ...[action: string, kind: string, target: string, note: string | null, data: string | null],
];

export function auditWriter(db: DatabaseSync): (entry: AuditEntry) => void {
  const insert = change(db, insertEntry);
  return ({ id, at, actor, token, action, kind, target, note, data }) =>
    void insert(id, at, actor, token, action, kind, target, note, data);
}

export function auditReader(db: DatabaseSync): (query: Reads["audit"]["query"]) => Page<AuditEntry> {
  const select = namedQuery<AuditValues>(db, selectEntries);
  const count = namedQuery<[number]>(db, countEntries);
  return ({ limit, offset, actor = null, action = null, kind = null, target = null, since = null, before = null }) => {
    const values = { actor, action, kind, target, since, before };
    const items = select.all({ ...values, limit, offset }).map(entryOf);
    return pageOf(items, count.get({ ...values, limit: totalMax + 1 })?.[0] ?? 0);
  };
}

function entryOf([id, at, actor, token, action, kind, target, note, data]: AuditValues): AuditEntry {
  return { id, at, actor, token, action, kind, target, note, data };
}
