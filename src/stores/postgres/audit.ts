// What people and programs did to the fleet and to tasks.

import type { ClientBase } from "pg";
import type { AuditEntry } from "../../ports/records.ts";
import { type Page, type Reads, totalMax } from "../../ports/store-reads.ts";
import { jsonRows } from "./arrays.ts";
import { ask, type Statement, unprepared } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const auditColumns = "id, at, actor, token, action, kind, target, note, data";

const insertEntries: Statement = {
  name: "insert_audit",
  text: `
    insert into audit (${auditColumns})
    select ${auditColumns}
    from json_to_recordset($1::json) r (
      id text, at bigint, actor text, token text, action text, kind text, target text, note text, data text
    )
    on conflict (id) do update
    set
      at = excluded.at,
      actor = excluded.actor,
      token = excluded.token,
      action = excluded.action,
      kind = excluded.kind,
      target = excluded.target,
      note = excluded.note,
      data = excluded.data`,
};

const wanted = `
    from audit
    where ($1::text is null or actor = $1)
      and ($2::text is null or action = $2)
      and ($3::text is null or kind = $3)
      and ($4::text is null or target = $4)
      and ($5::bigint is null or at >= $5)
      and ($6::bigint is null or at < $6)`;

const selectEntries: Statement = unprepared(`
    select ${auditColumns}
    ${wanted}
    order by id desc
    limit $7
    offset $8`);

const countEntries: Statement = unprepared(`
    select count(*)
    from (
      select
      ${wanted}
      limit $7
    ) found`);

type AuditTuple = readonly [
  ...[id: string, at: number, actor: string, token: string | null],
  ...[action: string, kind: string, target: string, note: string | null, data: string | null],
];

export async function writeAudit(client: ClientBase, entries: readonly AuditEntry[]): Promise<void> {
  const last = [...new Map(entries.map((entry) => [entry.id, entry])).values()];
  await ask(client, insertEntries, [jsonRows(last)]);
}

export async function readAudit(client: ClientBase, query: Reads["audit"]["query"]): Promise<Page<AuditEntry>> {
  const { actor, action, kind, target, since = null, before = null, limit, offset } = query;
  const texts = [actor, action, kind, target].map((text) => (text === undefined ? null : storable(text)));
  const values = [...texts, since, before];
  const [rows, [total]] = await Promise.all([
    ask<AuditTuple>(client, selectEntries, [...values, limit, offset]),
    ask<[number]>(client, countEntries, [...values, totalMax + 1]),
  ]);
  return { items: rows.map(entryOf), ...totalOf(total?.[0] as number) };
}

function entryOf([id, at, actor, token, action, kind, target, note, data]: AuditTuple): AuditEntry {
  return { id, at, actor, token, action, kind, target, note, data };
}
