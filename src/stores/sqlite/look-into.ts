// Reading a database that a server may have open: no lock is taken, nothing is changed, and every read sees one state.

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Store } from "../../ports/store.ts";
import { isTooNew, type Migration, migrationState, migrations } from "./migrate.ts";
import { openReader } from "./open-database.ts";
import { readers } from "./read.ts";
import { transactions } from "./transaction.ts";

export interface Look extends Pick<Store, "read"> {
  /** Which migrations the database has, those unknown here without a name, and which it lacks. */
  readonly migrations: {
    readonly applied: readonly { readonly version: number; readonly name: string | null }[];
    readonly pending: readonly Migration[];
    /** A release that knows no more than this one must not touch the database. */
    readonly tooNew: boolean;
  };
  close(): Promise<void>;
}

export function lookInto(file: string): Look {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  try {
    return lookThrough(openReader(file), file);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} cannot be read: ${why}`, { cause });
  }
}

function lookThrough(db: DatabaseSync, file: string): Look {
  try {
    const known = new Map(migrations().map((migration) => [migration.version, migration]));
    const { applied, pending } = migrationState(db);
    return {
      migrations: {
        applied: applied.map((version) => ({ version, name: known.get(version)?.name ?? null })),
        pending: pending.flatMap((version) => known.get(version) ?? []),
        tooNew: isTooNew(db),
      },
      read: pending.length === 0 ? readOf(db) : () => Promise.reject(new Error(`${file} lacks a migration`)),
      close: async () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

function readOf(db: DatabaseSync): Store["read"] {
  const ask = readers(db);
  const { read } = transactions(db);
  return async (kind, query) => read(() => ask[kind](query));
}
