// Logs on standard error, so that standard output holds what programs read: JSON lines, or readable text on a terminal.
// Secrets are hidden on the way out, wherever they stand.

import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { Clock } from "../ports/clock.ts";
import type { Log, LogFields } from "../ports/log.ts";
import { textLine } from "./log-text.ts";
import { maskFields, maskText } from "./mask.ts";
import type { Config } from "./settings/settings.ts";

export interface ServerLog extends Log {
  /** Resolves when everything said so far has been written. */
  flush(): Promise<void>;
}

export interface ServerLogOptions {
  readonly level: Config["logLevel"];
  readonly format: Config["logFormat"];
  readonly clock: Pick<Clock, "now">;
  /** Stands on every line: the server's id, for example. */
  readonly always?: LogFields;
  /** Where lines go instead of standard error. */
  readonly write?: (line: string) => void;
}

const standardError = 2;

export function serverLog(options: ServerLogOptions): ServerLog {
  const { level, clock, write } = options;
  const asText = options.format === "text" || (options.format === "auto" && process.stderr.isTTY === true);
  const file = write === undefined ? destination({ fd: standardError, sync: false }) : null;
  const raw: DestinationStream = file ?? { write: write as (line: string) => void };
  const out: DestinationStream = asText ? { write: (line) => raw.write(textLine(line)) } : raw;
  const logger = pino(
    {
      level,
      base: maskFields(options.always ?? {}) as Record<string, unknown>,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    out,
  );
  return {
    debug: lines(logger, "debug"),
    info: lines(logger, "info"),
    warn: lines(logger, "warn"),
    error: lines(logger, "error"),
    flush: () => new Promise((resolve) => (file === null ? resolve() : file.flush(() => resolve()))),
  };
}

function lines(logger: Logger, level: "debug" | "info" | "warn" | "error"): Log["info"] {
  return (message, fields) => {
    if (!logger.isLevelEnabled(level)) return;
    const text = maskText(message);
    if (fields === undefined) logger[level](text);
    else logger[level](maskFields(fields) as Record<string, unknown>, text);
  };
}
