// What is paused, as rows of the catalog.

import type { ClientBase } from "pg";
import { type Pause, type PauseKind, pauseKey } from "../../core/pause.ts";
import { jsonRows } from "./arrays.ts";
import { ask, type Statement, unprepared } from "./statement.ts";

const upsertPauses: Statement = {
  name: "upsert_pauses",
  text: `
    insert into pause (kind, name, paused_by, note, at, until, ended_at, catalog)
    select r.kind, r.name, r.paused_by, r.note, r.at, r.until, r.ended_at, m.catalog + 1
    from json_to_recordset($1::json) r (
      kind text, name text, paused_by text, note text, at bigint, until bigint, ended_at bigint
    )
    cross join meta m
    on conflict (kind, name) do update
    set
      paused_by = excluded.paused_by,
      note = excluded.note,
      at = excluded.at,
      until = excluded.until,
      ended_at = excluded.ended_at,
      catalog = excluded.catalog
    where excluded.ended_at is null
      or pause.at = excluded.at`,
};

// What is over is told only to those who may still know it.
const selectPauses: Statement = unprepared(`
    select kind, name, paused_by, note, at, until, ended_at
    from pause
    where catalog > $1
      and ($1 > 0 or ended_at is null)
    order by kind, name`);

type PauseTuple = readonly [
  ...[kind: PauseKind, name: string, by: string, note: string | null],
  ...[at: number, until: number | null, endedAt: number | null],
];

export async function writePauses(client: ClientBase, pauses: readonly Pause[]): Promise<void> {
  const last = [...new Map(pauses.map((pause) => [pauseKey(pause), pause])).values()];
  const rows = last.map(({ by, endedAt, ...pause }) => ({ ...pause, paused_by: by, ended_at: endedAt }));
  await ask(client, upsertPauses, [jsonRows(rows)]);
}

export async function readPauses(client: ClientBase, after: number): Promise<Pause[]> {
  const rows = await ask<PauseTuple>(client, selectPauses, [after]);
  return rows.map(([kind, name, by, note, at, until, endedAt]) => ({ kind, name, by, note, at, until, endedAt }));
}
