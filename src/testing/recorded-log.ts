// A log that keeps its lines, for tests that ask what was said.

import type { Log, LogFields } from "../ports/log.ts";

export interface LogLineKept {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly fields: LogFields;
}

export interface RecordedLog extends Log {
  readonly lines: readonly LogLineKept[];
}

export function recordedLog(): RecordedLog {
  const lines: LogLineKept[] = [];
  const at =
    (level: LogLineKept["level"]) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, fields });
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
