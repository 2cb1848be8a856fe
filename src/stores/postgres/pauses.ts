// What is paused, as rows of the catalog.

import type { ClientBase } from "pg";
import { type Pause, type PauseKind, pauseKey } from "../../core/pause.ts";
import { jsonRows, sortedTexts, textArray } from "./arrays.ts";
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

// One that does not exist yet has no row to lock, so its name is locked; and whoever writes it has that lock before the
// lock of the catalog, which all writers take, so that nobody waits in a circle.
const lockPauseNames: Statement = {
  name: "lock_pause_names",
  text: `
    select pg_advisory_xact_lock(hashtextextended('leadhand pause ' || current_schema() || ' ' || n.name, 0))
    from unnest($1::text[]) with ordinality n (name, nth)
    order by n.nth`,
};

const lockPauses: Statement = {
  name: "lock_pauses",
  text: `
    select p.kind, p.name, p.paused_by, p.note, p.at, p.until, p.ended_at
    from unnest($1::text[], $2::text[]) n (kind, name)
    join pause p on p.kind = n.kind and p.name = n.name
    order by p.kind, p.name
    for update of p`,
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
  return rows.map(pauseOf);
}

export async function lockedPauses(
  client: ClientBase,
  pauses: readonly Pick<Pause, "kind" | "name">[],
): Promise<ReadonlyMap<string, Pause>> {
  if (pauses.length === 0) return new Map();
  const keys = sortedTexts(pauses.map(pauseKey));
  const [kinds, names] = [pauses.map(({ kind }) => kind), pauses.map(({ name }) => name)];
  const [, rows] = await Promise.all([
    ask(client, lockPauseNames, [textArray(keys)]),
    ask<PauseTuple>(client, lockPauses, [textArray(kinds), textArray(names)]),
  ]);
  return new Map(rows.map(pauseOf).map((pause) => [pauseKey(pause), pause]));
}

function pauseOf([kind, name, by, note, at, until, endedAt]: PauseTuple): Pause {
  return { kind, name, by, note, at, until, endedAt };
}
