// Where a database is, said so that another process can open it.

import type { Clock } from "../src/ports/clock.ts";
import type { Log } from "../src/ports/log.ts";
import type { Store } from "../src/ports/store.ts";

/** `folder` is the data directory of a server on this database. */
export type Place =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly file: string; readonly folder: string }
  | {
      readonly kind: "postgres";
      readonly url: string;
      readonly database: string;
      /** The server's log, where the statements of a database can be counted. */
      readonly logFile: string;
      readonly serverPid: number;
      readonly folder: string;
    }
  /** Only peers keep their tasks there. */
  | { readonly kind: "redis"; readonly port: number; readonly version: string };

export interface StoreSurroundings {
  readonly clock: Clock;
  readonly log: Log;
}

/** Imports only the store it opens, so that the memory of the others is not measured along. */
export async function openStore(place: Place, { clock, log }: StoreSurroundings): Promise<Store> {
  switch (place.kind) {
    case "memory": {
      const { memoryStore } = await import("../src/stores/memory/memory-store.ts");
      return memoryStore();
    }
    case "sqlite": {
      const { sqliteStore } = await import("../src/stores/sqlite/sqlite-store.ts");
      return sqliteStore({ file: place.file, log });
    }
    case "postgres": {
      const { postgresStore } = await import("../src/stores/postgres/postgres-store.ts");
      return postgresStore({ url: place.url, clock, log });
    }
    case "redis":
      throw new Error("Leadhand has no store on Redis");
  }
}
