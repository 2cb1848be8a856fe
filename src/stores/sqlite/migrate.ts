// Migrations are numbered SQL files and go forward only. All that are missing run in one transaction, under the lock.

import { readdirSync, readFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Log } from "../../ports/log.ts";
import { query } from "./statement.ts";
import { transactions } from "./transaction.ts";

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrationState {
  readonly applied: readonly number[];
  readonly pending: readonly number[];
}

const selectTables = `
  select count(*), coalesce(sum(name = 'meta'), 0)
  from sqlite_schema
  where type = 'table'`;

const selectVersion = `
  select schema_version
  from meta`;

const selectFloor = `
  select floor
  from meta`;

const updateVersion = `
  update meta
  set schema_version = ?`;

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

export function migrationState(db: DatabaseSync): MigrationState {
  const version = versionOf(db);
  const versions = migrations().map((migration) => migration.version);
  return {
    applied: [...versions.filter((each) => each <= version), ...unknownUpTo(version, versions.at(-1) ?? 0)],
    pending: versions.filter((each) => each > version),
  };
}

function unknownUpTo(version: number, newest: number): number[] {
  return Array.from({ length: Math.max(0, version - newest) }, (_, index) => newest + 1 + index);
}

/**
 * Brings the database up to date. One that is newer than this code is used as it is, unless a migration says that older
 * releases cannot live with it. One that is not ours is refused.
 */
export function migrate(db: DatabaseSync, file: string, log: Log): void {
  const known = migrations();
  const newest = known.at(-1)?.version ?? 0;
  transactions(db).write(() => {
    const version = versionOf(db, file);
    if (version > newest) {
      if (isTooNew(db)) {
        throw new Error(
          `${file} is at version ${version} of the schema; this release knows ${newest}. Run the newer release on it.`,
        );
      }
      log.info("The database is newer than this release, which uses what it knows of it", { file, version, newest });
    }
    for (const migration of known.filter((each) => each.version > version)) {
      db.exec(migration.sql);
      db.prepare(updateVersion).run(migration.version);
      log.info("Database migrated", { file, version: migration.version, name: migration.name });
    }
  });
}

function versionOf(db: DatabaseSync, file = "The file"): number {
  const [tables, ours] = query<[number, number]>(db, selectTables).get() ?? [0, 0];
  if (tables === 0) return 0;
  if (ours === 0) throw new Error(`${file} is a database, but not one of Leadhand`);
  return query<[number]>(db, selectVersion).get()?.[0] ?? 0;
}

/** Whether a migration that is unknown here says that older releases cannot live with it. */
export function isTooNew(db: DatabaseSync): boolean {
  const newest = migrations().at(-1)?.version ?? 0;
  return versionOf(db) > newest && (query<[number]>(db, selectFloor).get()?.[0] ?? 0) > newest;
}
