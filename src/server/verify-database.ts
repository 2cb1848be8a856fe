import { type Verification, type VerifyOptions, verify } from "../engine/verify.ts";
import type { Log } from "../ports/log.ts";
import { type Database, databaseName } from "./database.ts";
import { checkKnown, lookIntoDatabase } from "./look-into-database.ts";

/**
 * Folds every history of the database again and compares it with its row; servers may be at work on it meanwhile.
 *
 * @example
 * ```ts
 * import { databaseOf, readConfig, verifyDatabase } from "leadhand/server";
 *
 * const log = { debug() {}, info: console.info, warn: console.warn, error: console.error };
 * const { config } = readConfig({ environment: process.env, flags: {} });
 * const { tasks, faults } = await verifyDatabase(databaseOf(config), { log });
 * console.log(`${tasks} tasks, ${faults.length} faults`);
 * ```
 */
export async function verifyDatabase(
  database: Database,
  { log, ...options }: VerifyOptions & { readonly log: Log },
): Promise<Verification> {
  const look = await lookIntoDatabase(database, log);
  try {
    checkKnown(database, look.migrations);
    if (look.migrations.pending.length > 0) {
      throw new Error(`${databaseName(database)} is not up to date; \`leadhand migrate\` brings it there`);
    }
    return await verify(look, options);
  } finally {
    await look.close();
  }
}
