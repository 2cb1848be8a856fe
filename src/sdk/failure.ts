// Whatever was thrown, as a failure that can be told: a sentence, a code, details.

import { inspect } from "node:util";
import { plainText } from "./plain-text.ts";
import type { Failure } from "./run-handler.ts";

const messageMax = 16_384;
const stackMax = 8_192;
const detailsMax = 65_536;
const codeMax = 255;

/** Never throws, whatever it is given. */
export function failureOf(thrown: unknown): Failure {
  try {
    return thrown instanceof Error ? failureOfError(thrown) : { ...plain, message: messageOf(thrown) };
  } catch {
    return { ...plain, message: "The handler failed, and what it threw cannot be read" };
  }
}

/** What went wrong, for a line of a log. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const plain = { code: null, details: null, retryable: true } as const;

function failureOfError(error: Error & { readonly code?: unknown }): Failure {
  const isFail = error.name === "Fail" && "retryable" in error;
  const details = isFail ? (error as { details?: unknown }).details : { name: error.name, stack: stackOf(error) };
  return {
    message: plainText(error.message === "" ? `${error.name} without a message` : error.message, messageMax),
    // Node's own errors have one too, as in ENOENT.
    code: typeof error.code === "string" && error.code !== "" ? plainText(error.code, codeMax) : null,
    details: detailsOf(details),
    retryable: !(isFail && (error as { retryable?: unknown }).retryable === false),
  };
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string" && thrown !== "") return plainText(thrown, messageMax);
  return plainText(
    `The handler threw ${inspect(thrown, { depth: 3, breakLength: Number.POSITIVE_INFINITY })}`,
    messageMax,
  );
}

function stackOf({ stack }: Error): string | null {
  return stack === undefined ? null : plainText(stack, stackMax);
}

/** Details are a kindness: where they cannot be told, the message has to do. */
function detailsOf(details: unknown): string | null {
  try {
    const text = JSON.stringify(details) ?? null;
    return text !== null && text.length <= detailsMax ? text : null;
  } catch {
    return null;
  }
}
