// A small change to a database that a server may have open. SQLite lets several processes write, one after the other:
// for the moment of the commit a server waits, as it would for itself. What a server keeps a copy of in memory (tasks,
// jobs, lanes, workers) must not be changed this way; tokens may, for they are read again every few seconds.

import { existsSync } from "node:fs";
import type { Store } from "../../ports/store.ts";
import { amend } from "./amend.ts";
import { openBeside } from "./open-database.ts";
import { transactions } from "./transaction.ts";

export interface AmendBeside extends Pick<Store, "amend"> {
  close(): Promise<void>;
}

/** The database has to be there and up to date. */
export function amendBeside(file: string): AmendBeside {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const db = openBeside(file);
  const change = amend(db);
  const { write } = transactions(db);
  return {
    amend: async (scope, decide) => write(() => change(scope, decide)),
    close: async () => db.close(),
  };
}
