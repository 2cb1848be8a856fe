// What is paused, as rows of the catalog.

import type { DatabaseSync } from "node:sqlite";
import { type Pause, type PauseKind, pauseKey } from "../../core/pause.ts";
import { change, query } from "./statement.ts";

const upsertPause = `
  insert into pause (kind, name, paused_by, note, at, until, ended_at, catalog)
  values (?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (kind, name) do update
  set paused_by = excluded.paused_by, note = excluded.note, at = excluded.at, until = excluded.until,
    ended_at = excluded.ended_at, catalog = excluded.catalog
  where excluded.ended_at is null or pause.at = excluded.at`;

const pauseColumns = "kind, name, paused_by, note, at, until, ended_at";

const selectPause = `
  select ${pauseColumns}
  from pause
  where kind = ? and name = ?`;

// What is over is told only to those who may still know it.
const selectPauses = `
  select ${pauseColumns}
  from pause
  where catalog > ? and (? > 0 or ended_at is null)
  order by kind, name`;

type PauseValues = [
  ...[kind: PauseKind, name: string, by: string, note: string | null],
  ...[at: number, until: number | null, endedAt: number | null],
];

export function pauseWriter(db: DatabaseSync): (pause: Pause, revision: number) => void {
  const upsert = change(db, upsertPause);
  return ({ kind, name, by, note, at, until, endedAt }, revision) =>
    void upsert(kind, name, by, note, at, until, endedAt, revision);
}

export function pauseReader(db: DatabaseSync): (after: number) => Pause[] {
  const select = query<PauseValues>(db, selectPauses);
  return (after) => select.all(after, after).map(pauseOf);
}

export function pauseFinder(
  db: DatabaseSync,
): (pauses: readonly Pick<Pause, "kind" | "name">[]) => ReadonlyMap<string, Pause> {
  const select = query<PauseValues>(db, selectPause);
  return (pauses) =>
    new Map(
      pauses.flatMap(({ kind, name }) => {
        const values = select.get(kind, name);
        return values === undefined ? [] : [[pauseKey({ kind, name }), pauseOf(values)] as const];
      }),
    );
}

function pauseOf([kind, name, by, note, at, until, endedAt]: PauseValues): Pause {
  return { kind, name, by, note, at, until, endedAt };
}
