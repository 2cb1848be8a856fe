// An operation that ran out of memory is tried again later, when others have let go of theirs. How often it was tried is
// said by a header of its message, so that any consumer knows.

import { documentPatience, type Tries, waitMs } from "../../core/patience.ts";
import { memoryRetryHeader } from "../../protocol/amqp/messages.ts";

interface Thrown {
  readonly code?: string | null;
  readonly name?: string | undefined;
  readonly message: string;
}

/** As far as one can tell from what was thrown: of this process, or of a GPU by way of some library. */
export function isOutOfMemory({ code, name, message }: Thrown): boolean {
  const codes = ["ERR_OUT_OF_MEMORY", "ENOMEM", "ERR_WORKER_OUT_OF_MEMORY"];
  if (typeof code === "string" && codes.includes(code)) return true;
  return name === "OutOfMemoryError" || /\b(?:CUDA out of memory|out of memory)\b/i.test(message);
}

/** How long to wait before the next try, and what the header says then; null: it was tried often enough. */
export function memoryRetry(
  headers: Readonly<Record<string, unknown>>,
  tries: Tries = documentPatience.outOfMemory,
): { readonly delayMs: number; readonly headers: Readonly<Record<string, unknown>>; readonly tried: number } | null {
  const said = Number(headers[memoryRetryHeader] ?? 0);
  const tried = Number.isInteger(said) && said > 0 ? said : 0;
  if (tried >= tries.attempts) return null;
  const next = tried + 1;
  return { delayMs: waitMs(tries, next), tried: next, headers: { ...headers, [memoryRetryHeader]: next } };
}
