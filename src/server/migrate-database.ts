import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "../ports/log.ts";
import { migrations as sqliteMigrations } from "../stores/sqlite/migrate.ts";
import { makeDataDirectory } from "./data-directory.ts";
import type { Database } from "./database.ts";
import { checkKnown, lookIntoDatabase, type Migrations } from "./look-into-database.ts";
import { openDatabase } from "./open-database.ts";
import { systemClock, systemIds, systemRandom } from "./system.ts";

export interface MigrateOptions {
  readonly log: Log;
  /** Only looks. */
  readonly dryRun: boolean;
}

/**
 * Brings the database up to date, making it where there is none, as the start of a server does. Answers which migrations
 * it had before and which it lacked.
 *
 * @example
 * ```ts
 * import { databaseOf, migrateDatabase, readConfig } from "leadhand/server";
 *
 * const log = { debug() {}, info: console.info, warn: console.warn, error: console.error };
 * const { config } = readConfig({ environment: process.env, flags: {} });
 * const { pending } = await migrateDatabase(databaseOf(config), { log, dryRun: true });
 * console.log(`${pending.length} migrations are missing`);
 * ```
 */
export async function migrateDatabase(database: Database, { log, dryRun }: MigrateOptions): Promise<Migrations> {
  const before = await migrationsOf(database, log);
  if (dryRun || before.pending.length === 0) return before;
  if (database.kind === "sqlite") await makeDataDirectory(dirname(database.file));
  const clock = systemClock();
  const { store } = await openDatabase(database, { clock, ids: systemIds(clock), random: systemRandom(), log });
  try {
    await store.start();
  } finally {
    await store.stop();
  }
  return before;
}

async function migrationsOf(database: Database, log: Log): Promise<Migrations> {
  // Looking must not make the file that it looks for.
  if (database.kind === "sqlite" && !existsSync(database.file)) return noneYet();
  const look = await lookIntoDatabase(database, log);
  await look.close();
  checkKnown(database, look.migrations);
  return look.migrations;
}

function noneYet(): Migrations {
  return { applied: [], pending: sqliteMigrations(), tooNew: false };
}
