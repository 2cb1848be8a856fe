// One server per file. The lock is a second, empty SQLite database that is held exclusively: the operating system
// gives it up when the process ends, however it ends, so nothing stale is ever left behind.

import { DatabaseSync } from "node:sqlite";
import { Problem } from "../../core/problem.ts";
import { isBusy } from "./store-problem.ts";

/** Returns what releases the lock. */
export function lockFile(file: string): () => void {
  const lock = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    // Without a journal beside it, which would stay behind a server that was killed.
    lock.exec("pragma journal_mode = memory");
    lock.exec("begin exclusive");
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Problem("store-unavailable", `${file} is in use by another server`, { cause: error });
  }
  return () => lock.close();
}
