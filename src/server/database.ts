// Which database the settings mean: PostgreSQL where a URL is given, else a file in the data directory.

import { join, resolve } from "node:path";
import { maskSecret } from "./mask.ts";
import type { Config } from "./settings/settings.ts";

/** Where a server keeps everything. */
export type Database =
  | { readonly kind: "sqlite"; readonly file: string }
  | { readonly kind: "postgres"; readonly url: string; readonly listenUrl: string; readonly pooler?: boolean };

/**
 * The database that settings name.
 *
 * @example
 * ```ts
 * import { databaseOf, readConfig } from "leadhand/server";
 *
 * const { config } = readConfig({ environment: process.env, flags: {} });
 * console.log(databaseOf(config).kind);
 * ```
 */
export function databaseOf(
  config: Pick<Config, "data" | "databaseUrl" | "databaseListenUrl"> & Partial<Pick<Config, "databasePooler">>,
): Database {
  const { data, databaseUrl, databaseListenUrl, databasePooler: pooler = false } = config;
  if (databaseUrl === null) return { kind: "sqlite", file: join(resolve(data), "leadhand.db") };
  return { kind: "postgres", url: databaseUrl, listenUrl: databaseListenUrl ?? databaseUrl, pooler };
}

/** For people: the file, or the URL without its password. */
export function databaseName(database: Database): string {
  return database.kind === "sqlite" ? database.file : maskSecret(database.url);
}
