// What SQLite's errors mean to a caller. The codes are SQLite's own; the low byte is the kind, the rest is the detail.

import { Problem } from "../../core/problem.ts";

const busy = 5;
const locked = 6;
const ioError = 10;
const full = 13;
const cantOpen = 14;

/** Kinds of input and output error that a full disk can cause: write, fsync, directory fsync, truncate, shared memory. */
const fullDisk = new Set([3, 4, 5, 6, 19].map((detail) => ioError | (detail << 8)));

export function storeProblem(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === null) return error;
  const kind = code & 0xff;
  if (kind === full || fullDisk.has(code)) {
    return new Problem("store-full", "The database has no room for more; nothing was written", { cause: error });
  }
  if (kind === busy || kind === locked || kind === ioError || kind === cantOpen) {
    return new Problem("store-unavailable", "The database cannot be reached; nothing was written", { cause: error });
  }
  return error;
}

export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== null && (code & 0xff) === busy;
}

function sqliteCode(error: unknown): number | null {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return null;
  return error.errcode;
}
