// The tokens of a database, for commands: servers may be at work on it, and none has to be.

import { existsSync } from "node:fs";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import { amendBeside } from "../stores/sqlite/amend-beside.ts";
import { type Database, databaseName } from "./database.ts";
import { checkKnown, lookIntoDatabase } from "./look-into-database.ts";
import { systemClock } from "./system.ts";

/** Not for tasks and the catalog, of which servers keep copies. */
export type TokenStore = Pick<Store, "read" | "amend">;

export async function withTokens<T>(database: Database, log: Log, work: (store: TokenStore) => Promise<T>): Promise<T> {
  if (database.kind === "sqlite" && !existsSync(database.file)) {
    throw new Error(`${database.file} does not exist; the first \`leadhand serve\` makes it, or \`leadhand migrate\``);
  }
  const look = await lookIntoDatabase(database, log);
  try {
    checkKnown(database, look.migrations);
    if (look.migrations.pending.length > 0) {
      throw new Error(`${databaseName(database)} is not up to date; \`leadhand migrate\` brings it there`);
    }
    const { amend, close } = await openAmend(database, log);
    try {
      return await work({ read: look.read, amend });
    } finally {
      await close();
    }
  } finally {
    await look.close();
  }
}

async function openAmend(database: Database, log: Log): Promise<Pick<Store, "amend"> & { close(): Promise<void> }> {
  if (database.kind === "sqlite") return amendBeside(database.file);
  const { postgresStore } = await import("../stores/postgres/postgres-store.ts");
  // A store that was not started makes changes, but looks after nothing.
  const store = postgresStore({ url: database.url, pooler: database.pooler ?? false, log, clock: systemClock() });
  return { amend: store.amend, close: store.stop };
}
