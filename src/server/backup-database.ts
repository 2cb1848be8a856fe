import { copyDatabase } from "../stores/sqlite/copy-database.ts";
import type { Database } from "./database.ts";

/**
 * Answers how many bytes the copy has. A server may be at work on the database meanwhile.
 *
 * @example
 * ```ts
 * import { backupDatabase, databaseOf, readConfig } from "leadhand/server";
 *
 * const { config } = readConfig({ environment: process.env, flags: {} });
 * const bytes = await backupDatabase(databaseOf(config), "backup.db");
 * console.log(`${bytes} bytes`);
 * ```
 */
export async function backupDatabase(
  database: Database,
  target: string,
  onProgress?: (share: number) => void,
): Promise<number> {
  if (database.kind === "postgres") {
    throw new Error("The database is PostgreSQL: back it up with pg_dump, which comes with it");
  }
  return copyDatabase(database.file, target, onProgress);
}
