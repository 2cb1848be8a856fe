// What can go wrong between us and the database, sorted by what it means for an answer.

import { Problem } from "../../core/problem.ts";

/** Identifies one server process of PostgreSQL for as long as it lives; process numbers alone are used again. */
export interface Backend {
  readonly pid: number;
  readonly startedAt: string;
  /** When the transaction began that ran there; null where the process is ours alone. */
  readonly began: string | null;
}

/** The connection went away. If `backend` is known, what was sent may have been done there. */
export class LostConnection extends Error {
  readonly backend: Backend | null;

  constructor(cause: unknown, backend: Backend | null) {
    super("The connection to PostgreSQL was lost", { cause });
    this.name = "LostConnection";
    this.backend = backend;
  }
}

const lostCodes = new Set([
  ...["57P01", "57P02", "57P03", "57P05", "25P03", "53300"],
  ...["ECONNRESET", "ECONNREFUSED", "ECONNABORTED", "EPIPE", "ETIMEDOUT"],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "EAI_AGAIN", "ENOTFOUND"],
]);

const lostMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout|timeout expired|timeout exceeded when trying to connect)/;

export function isLost(error: unknown): boolean {
  const code = codeOf(error);
  return lostCodes.has(code) || code.startsWith("08") || lostMessages.test(messageOf(error));
}

/** The transaction was rolled back in favour of another one: run again, it may succeed. */
export function isConflict(error: unknown): boolean {
  return codeOf(error) === "40P01" || codeOf(error) === "40001";
}

const fullCodes = new Set(["53100", "25006"]);
const refusedCodes = new Set(["53200", "53400", "57014", "40P01", "40001", "55P03"]);

/** A server process that does not know a statement its client has prepared, or knows another one's. */
const strangeStatementCodes = new Set(["26000", "42P05"]);

/** The error as callers of the store know it. */
export function asProblem(error: unknown): unknown {
  const cause = error instanceof LostConnection ? error.cause : error;
  const said = messageOf(cause);
  if (fullCodes.has(codeOf(cause))) return new Problem("store-full", `PostgreSQL cannot write: ${said}`, { cause });
  if (strangeStatementCodes.has(codeOf(cause))) {
    return new Error(`${said}. Behind a pooler in transaction mode set LEADHAND_DATABASE_POOLER=true`, { cause });
  }
  const passing = error instanceof LostConnection || isLost(cause) || refusedCodes.has(codeOf(cause));
  return passing ? new Problem("store-unavailable", `PostgreSQL does not answer: ${said}`, { cause }) : error;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
