// Migrations are numbered SQL files and go forward only. All that are missing run in one transaction, under a lock, so
// any number of servers may start at once.

import { readdirSync, readFileSync } from "node:fs";
import type { Client } from "pg";
import type { Log } from "../../ports/log.ts";
import { ask, type Statement, unprepared } from "./statement.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Held to the end of the transaction by whoever changes the shape of the schema. */
export const lockSchema: Statement = unprepared(`
    select pg_advisory_xact_lock(hashtextextended('leadhand ' || $1, 0))`);

const selectSchema: Statement = unprepared(`
    select exists (select from pg_namespace where nspname = $1), quote_ident($1)`);

const selectTables: Statement = unprepared(`
    select count(*), count(*) filter (where c.relname = 'migration')
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1
      and c.relkind in ('r', 'p')`);

const createMigrations = `
    create table migration (
      version integer primary key,
      name text not null,
      at timestamptz not null default now()
    )`;

const selectVersions: Statement = unprepared(`
    select version
    from migration
    order by version`);

const selectFloor: Statement = unprepared(`
    select floor
    from meta`);

const insertMigration: Statement = unprepared(`
    insert into migration (version, name)
    values ($1, $2)`);

export function migrations(): Migration[] {
  const folder = new URL("./migrations/", import.meta.url);
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, version, name] = /^(\d{4})-(.+)\.sql$/.exec(file) ?? [];
      if (version === undefined || name === undefined) return [];
      return [{ version: Number(version), name, sql: readFileSync(new URL(file, folder), "utf8") }];
    });
}

/**
 * Brings the schema up to date. One that is newer than this code is used as it is, as in the middle of a rolling upgrade,
 * unless a migration says that older releases cannot live with it. One that is not ours is refused.
 */
export async function migrate(client: Client, schema: string, log: Log): Promise<void> {
  await client.query("begin");
  await ask(client, lockSchema, [schema]);
  await enterSchema(client, schema);
  const version = await versionOf(client, schema);
  const known = migrations();
  const newest = known.at(-1)?.version ?? 0;
  if (version > newest) await checkFloor(client, { schema, version, newest }, log);
  for (const migration of known.filter((each) => each.version > version)) {
    await client.query(migration.sql);
    await ask(client, insertMigration, [migration.version, migration.name]);
    log.info("Database migrated", { schema, version: migration.version, name: migration.name });
  }
  await client.query("commit");
}

interface Newer {
  readonly schema: string;
  readonly version: number;
  readonly newest: number;
}

async function checkFloor(client: Client, { schema, version, newest }: Newer, log: Log): Promise<void> {
  const [row] = await ask<[number]>(client, selectFloor);
  if ((row?.[0] ?? 0) > newest) {
    throw new Error(
      `Schema ${schema} of the database is at version ${version}; this release knows ${newest}. Run the newer release on it.`,
    );
  }
  log.info("The database is newer than this release, which uses what it knows of it", { schema, version, newest });
}

async function enterSchema(client: Client, schema: string): Promise<void> {
  const [row] = await ask<[exists: boolean, quoted: string]>(client, selectSchema, [schema]);
  const [exists, quoted] = row as [boolean, string];
  // Asked for only where it is needed: whoever may use a schema may still not be allowed to make one.
  if (!exists) await client.query(`create schema ${quoted}`);
  await client.query(`set local search_path = ${quoted}`);
}

async function versionOf(client: Client, schema: string): Promise<number> {
  const [row] = await ask<[string | number, string | number]>(client, selectTables, [schema]);
  const [tables, ours] = (row ?? [0, 0]).map(Number);
  if (ours === 1) return (await ask<[number]>(client, selectVersions)).at(-1)?.[0] ?? 0;
  if (tables !== 0) throw new Error(`Schema ${schema} of the database holds tables that are not Leadhand's`);
  await client.query(createMigrations);
  return 0;
}
