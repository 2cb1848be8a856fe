// A log that survives the process: what matters, a line each, at the end of a file.

import { appendFileSync } from "node:fs";
import type { Log, LogFields } from "../../src/ports/log.ts";

export function fileLog(file: string): Log {
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      appendFileSync(file, `${level} ${message} ${JSON.stringify(fields, plainError)}\n`);
  return { debug: () => undefined, info: () => undefined, warn: at("warn"), error: at("error") };
}

/** Errors are empty objects to JSON. */
function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? { error: `${value.stack}`, cause: value.cause } : value;
}
