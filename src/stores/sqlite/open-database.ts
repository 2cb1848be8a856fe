// Connections and their settings. One writer, on the main thread; readers and checkpoints have connections of their own.

import { closeSync, existsSync, mkdirSync, openSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Larger than SQLite's 4,096: batches then touch fewer pages and deep trees are a level lower. */
const pageBytes = 8_192;

/** How long a statement waits for a lock. Only a foreign process can hold one for long. */
const busyMs = 1_000;

// synchronous = full: a commit has reached the disk when it returns; fullfsync is what that takes on macOS.
// No mmap: it was no faster, and an error of the disk would end the process instead of a statement.
const settings = `
  pragma synchronous = full;
  pragma fullfsync = 1;
  pragma checkpoint_fullfsync = 1;
  pragma foreign_keys = off;
  pragma temp_store = memory;
`;

// Checkpoints happen on another thread (checkpoints.ts); the writer's own are the net below it, at 128 MB. A log that
// grew beyond 64 MB gives the space back once it has been copied. The cache is no larger than 16 MB because SQLite walks
// through all of it at the end of most commits: 64 MB made them 5 % slower.
const writerSettings = `
  pragma journal_mode = wal;
  pragma cache_size = -16384;
  pragma wal_autocheckpoint = 16384;
  pragma journal_size_limit = 67108864;
`;

const readerSettings = `
  pragma cache_size = -16384;
  pragma query_only = 1;
`;

export function openWriter(file: string, bytesMax?: number): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: busyMs });
  try {
    // The size of a page counts only before the first one is written, and cannot change in WAL mode.
    db.exec(`pragma page_size = ${pageBytes}`);
    db.exec(writerSettings);
    db.exec(settings);
    if (bytesMax !== undefined) db.exec(`pragma max_page_count = ${Math.ceil(bytesMax / pageBytes)}`);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

export function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: busyMs });
  db.exec(settings);
  db.exec(readerSettings);
  return db;
}

/** How long a command waits for its turn to write. */
const commandBusyMs = 10_000;

/** A writer beside the server's. It leaves the checkpoints to the server. */
export function openBeside(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: commandBusyMs });
  db.exec(settings);
  db.exec("pragma wal_autocheckpoint = 0");
  return db;
}

/** The connection that copies the log into the file. */
export function openCheckpointer(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 0 });
  db.exec(settings);
  db.exec("pragma wal_autocheckpoint = 0");
  return db;
}

/** The file's own path, whatever links lead to it, so that two servers cannot lock it under two names. */
export function ownPath(file: string): string {
  const path = resolve(file);
  mkdirSync(dirname(path), { recursive: true });
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path));
}

/**
 * Makes the file if there is none, readable by its owner alone, for it holds the secret. Call it under the lock: closing
 * a file that SQLite has open elsewhere in this process would give up SQLite's locks on it.
 */
export function createPrivately(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, "a", 0o600));
}
