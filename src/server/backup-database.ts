import { copyDatabase } from "../stores/sqlite/copy-database.ts";
import type { Database } from "./database.ts";

/** Answers how many bytes the copy has. A server may be at work on the database meanwhile. */
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
