// A copy of a database that a server may have open and be writing to.

import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { openReader } from "./open-database.ts";

/** Many enough to be fast, few enough to tell how far it is. */
const pagesEach = 2_000;

/**
 * Makes `target`, a database that is one file. It has its name only when it is whole; until then, and for good when
 * something fails, there is nothing under that name. Answers how many bytes it has.
 */
export async function copyDatabase(
  file: string,
  target: string,
  onProgress: (share: number) => void = () => {},
): Promise<number> {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  refuseExisting(target);
  const partial = `${target}.partial`;
  createPrivately(partial);
  try {
    await copyPages(file, partial, onProgress);
    const bytes = closeLog(partial);
    refuseExisting(target);
    renameSync(partial, target);
    return bytes;
  } catch (error) {
    for (const rest of ["", "-journal", "-wal", "-shm"]) rmSync(`${partial}${rest}`, { force: true });
    throw error;
  }
}

/** In one read transaction: otherwise the copy would begin again with every commit of the server. */
async function copyPages(file: string, partial: string, onProgress: (share: number) => void): Promise<void> {
  const source = openReader(file);
  try {
    source.exec("begin");
    source.prepare("select count(*) from sqlite_schema").get();
    await backup(source, partial, {
      rate: pagesEach,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    });
    onProgress(1);
  } finally {
    source.close();
  }
}

/** The copy was made of a database with a log beside it; on its own it needs none. */
function closeLog(partial: string): number {
  const copy = new DatabaseSync(partial);
  try {
    copy.exec("pragma journal_mode = delete");
    const [pages, bytes] = ["page_count", "page_size"].map((name) => copy.prepare(`pragma ${name}`).get()?.[name]);
    return Number(pages) * Number(bytes);
  } finally {
    copy.close();
  }
}

/** Readable by its owner alone, for the copy holds the secret too. Nobody else may be writing there. */
function createPrivately(partial: string): void {
  try {
    closeSync(openSync(partial, "wx", 0o600));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const left = why.startsWith("EEXIST") ? "; another backup is under way, or was cut short and left it" : "";
    throw new Error(`${partial} cannot be made: ${why}${left}`, { cause });
  }
}

function refuseExisting(target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already; a backup overwrites nothing`);
}
