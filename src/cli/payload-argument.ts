// A payload as it is given on the command line: JSON itself, `@file`, or `-` for standard input. It is sent as the text
// it is, so that numbers keep their digits.

import { readFile } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { UsageError } from "./usage-error.ts";

export async function payloadText(given: string | undefined, signal: AbortSignal): Promise<string> {
  if (given === undefined) return "{}";
  if (given === "-") return checked(await text(addAbortSignal(signal, process.stdin)), "standard input");
  if (given.startsWith("@")) return checked(await fileText(given.slice(1)), given.slice(1));
  return checked(given, "the payload");
}

async function fileText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the payload cannot be read: ${why}`, { cause: error });
  }
}

function checked(given: string, where: string): string {
  let value: unknown;
  try {
    value = JSON.parse(given);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${where} is not JSON: ${why}`, { cause: error });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UsageError(`${where} is not a JSON object, as in '{"angle": 90}'`);
  }
  return given;
}
