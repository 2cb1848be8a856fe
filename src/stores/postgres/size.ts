// How large the database is, by what PostgreSQL keeps count of anyway: sizes of files, and rows as last estimated.

import type { ClientBase } from "pg";
import type { StoreSize } from "../../ports/store-size.ts";
import { ask, type Statement, unprepared } from "./statement.ts";

const selectDatabase: Statement = unprepared(`
    select current_setting('server_version'), pg_database_size(current_database())`);

/** Tables in parts are told of as one. A table that was never looked at has no estimate. */
const selectTables: Statement = unprepared(`
    select c.relname::text, t.rows, t.bytes
    from pg_class c
    cross join lateral (
      select
        sum(part.reltuples::bigint) filter (where part.reltuples >= 0)::bigint as rows,
        sum(pg_total_relation_size(part.oid))::bigint as bytes
      from (select relid from pg_partition_tree(c.oid) where isleaf union select c.oid where c.relkind = 'r') leaf
      join pg_class part on part.oid = leaf.relid
    ) t
    where c.relnamespace = current_schema()::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
    order by c.relname`);

const selectMigrations: Statement = unprepared(`
    select version, name
    from migration
    order by version`);

export async function readSize(client: ClientBase): Promise<StoreSize> {
  const [database, tables, migrations] = await Promise.all([
    ask<[string, number]>(client, selectDatabase),
    ask<[string, number | null, number | null]>(client, selectTables),
    ask<[number, string]>(client, selectMigrations),
  ]);
  const [version, bytes] = database[0] as [string, number];
  return {
    ...{ kind: "postgres", version, bytes, walBytes: null },
    tables: tables.map(([name, rows, size]) => ({ name, rows, bytes: size })),
    migrations: migrations.map(([number, name]) => ({ version: number, name })),
  };
}
