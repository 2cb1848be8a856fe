// A database as the commands see it that only look: nothing is changed, and servers may be at work on it.

import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import { lookInto as lookIntoSqlite } from "../stores/sqlite/look-into.ts";
import { type Database, databaseName } from "./database.ts";
import { systemClock } from "./system.ts";

export interface Migration {
  readonly version: number;
  /** Null for one that this release does not know. */
  readonly name: string | null;
}

export interface Migrations {
  readonly applied: readonly Migration[];
  readonly pending: readonly Migration[];
  /** Whether a migration that is unknown here says that older releases cannot live with it. */
  readonly tooNew: boolean;
}

export interface DatabaseLook extends Pick<Store, "read"> {
  readonly migrations: Migrations;
  close(): Promise<void>;
}

export async function lookIntoDatabase(database: Database, log: Log): Promise<DatabaseLook> {
  if (database.kind === "sqlite") return lookIntoSqlite(database.file);
  const { lookInto } = await import("../stores/postgres/look-into.ts");
  return lookInto({ url: database.url, pooler: database.pooler ?? false, log, clock: systemClock() });
}

/** What a release cannot live with it must not touch, and could only misread. */
export function checkKnown(database: Database, { applied, tooNew }: Migrations): void {
  if (!tooNew) return;
  const name = databaseName(database);
  throw new Error(
    `${name} is at version ${applied.at(-1)?.version} of the schema, which this release does not know; run a newer one`,
  );
}
