// How large the file is. SQLite keeps no count of rows or of a table's pages: small tables are counted, and of large ones
// nothing is said rather than reading them through.

import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { StoreSize, TableSize } from "../../ports/store-size.ts";
import { migrationState, migrations } from "./migrate.ts";
import { query } from "./statement.ts";

const selectFile = `
  select sqlite_version(), file, (select page_count from pragma_page_count), (select page_size from pragma_page_size)
  from pragma_database_list
  where name = 'main'`;

const selectTables = `
  select name
  from sqlite_schema
  where type = 'table' and name not like 'sqlite\\_%' escape '\\'
  order by name`;

const countedMax = 10_000;

export function sizeReader(db: DatabaseSync): () => StoreSize {
  return () => {
    const row = query<[string, string, number, number]>(db, selectFile).get();
    const [version, file, pages, pageBytes] = row as [string, string, number, number];
    const names = new Map(migrations().map((migration) => [migration.version, migration.name]));
    return {
      ...{ kind: "sqlite", version, bytes: pages * pageBytes, walBytes: sizeOf(`${file}-wal`) },
      tables: query<[string]>(db, selectTables)
        .all()
        .map(([name]) => tableSize(db, name)),
      migrations: migrationState(db).applied.map((each) => ({ version: each, name: names.get(each) ?? null })),
    };
  };
}

/** A name cannot be a parameter; it comes from the schema itself. */
function tableSize(db: DatabaseSync, name: string): TableSize {
  const count = query<[number]>(db, `select count(*) from (select 1 from "${name.replaceAll('"', '""')}" limit +?)`);
  const rows = count.get(countedMax + 1)?.[0] ?? 0;
  return { name, rows: rows > countedMax ? null : rows, bytes: null };
}

/** The log goes when the last connection does. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
