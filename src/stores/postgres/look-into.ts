// Reading a database that servers may be at work on: nothing is changed, the schema neither.

import { Client } from "pg";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Store } from "../../ports/store.ts";
import { type Migration, migrations } from "./migrate.ts";
import { postgresStore } from "./postgres-store.ts";
import { ask, type Statement, unprepared } from "./statement.ts";

export interface LookOptions {
  readonly url: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly schema?: string;
  readonly pooler?: boolean;
}

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

const selectTable: Statement = unprepared(`
    select to_regclass(format('%I.migration', $1::text))::text`);

export async function lookInto(options: LookOptions): Promise<Look> {
  const { url, schema = "leadhand" } = options;
  const known = migrations();
  const { versions, floor } = await versionsIn(url, schema);
  const names = new Map(known.map(({ version, name }) => [version, name]));
  // A store that was not started answers questions, and does nothing else.
  const store = postgresStore({ ...options, schema });
  return {
    migrations: {
      applied: versions.map((version) => ({ version, name: names.get(version) ?? null })),
      pending: known.filter(({ version }) => !versions.includes(version)),
      tooNew: floor > (known.at(-1)?.version ?? 0),
    },
    read: store.read,
    close: store.stop,
  };
}

async function versionsIn(url: string, schema: string): Promise<{ versions: number[]; floor: number }> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 30_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const [row] = await ask<[string | null]>(client, selectTable, [schema]);
    const table = row?.[0] ?? null;
    if (table === null) return { versions: [], floor: 0 };
    const rows = await ask<[number]>(client, unprepared(`select version from ${table} order by version`));
    // Read as JSON, because a database that was not brought up to date has no such column.
    const [meta] = await ask<[number | null]>(
      client,
      unprepared(`select (to_jsonb(meta) ->> 'floor')::integer from ${table.replace(/migration$/, "meta")} meta`),
    );
    return { versions: rows.map(([version]) => version), floor: meta?.[0] ?? 0 };
  } finally {
    await client.end();
  }
}
