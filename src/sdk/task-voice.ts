// What a handler says about its task while it runs, in words that every server takes.

import { format } from "node:util";
import type { CheckedDeferral } from "./deferral.ts";
import { type Emission, emission, emissionLine, progressIn } from "./emission.ts";
import type { Task, TaskAlert, TaskLog } from "./job.ts";
import { plainText } from "./plain-text.ts";
import { now } from "./system.ts";

export type LogLevel = keyof TaskLog;

/** Where a handler's words go while it runs. All return at once and never throw. */
export interface TaskPort {
  progress(current: number, total: number | null, message: string | null): void;
  /** `at` in milliseconds since 1970. */
  log(level: LogLevel, message: string, at: number): void;
  alert(alert: TaskAlert, at: number): void;
  /** Absent where events can only be told as lines of the log. */
  emit?(emission: Emission, at: number): void;
  /** Absent where a task cannot be left open. The last one counts, once the handler has ended well. */
  defer?(deferral: CheckedDeferral): void;
}

const lineMax = 65_536;
const messageMax = 4_096;
const codeMax = 255;

export function taskVoice(port: TaskPort): Pick<Task, "progress" | "log" | "alert" | "emit"> {
  const say =
    (level: LogLevel) =>
    (...words: readonly unknown[]): void => {
      port.log(level, plainText(format(...words), lineMax), now());
    };
  return {
    progress(current, total, message) {
      const words = message === undefined ? null : plainText(message, messageMax);
      port.progress(whole(current), total === undefined ? null : whole(total), words);
    },
    log: { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    alert({ severity, code, message }) {
      const known = severities.includes(severity) ? severity : "warning";
      const said = {
        severity: known,
        code: plainText(code, codeMax) || "alert",
        message: plainText(message, messageMax),
      };
      port.alert(said, now());
    },
    emit(event, message, fields, level = "info") {
      const said = emission(event, message, fields, level);
      const progress = progressIn(fields);
      if (progress !== null)
        port.progress(whole(progress[0]), progress[1] === undefined ? null : whole(progress[1]), null);
      if (port.emit === undefined) port.log(said.level, plainText(emissionLine(said), lineMax), now());
      else port.emit(said, now());
    },
  };
}

const severities: readonly TaskAlert["severity"][] = ["info", "warning", "error", "critical"];

/** Where no alert can be sent as such it is a line of the task's log. */
export function alertLine({ severity, code, message }: TaskAlert): string {
  return `${severity} ${code}: ${message}`;
}

/** Progress is counted in whole steps; a step that is half done is not done. */
function whole(count: number): number {
  return Number.isFinite(count) ? Math.min(Math.max(0, Math.floor(count)), Number.MAX_SAFE_INTEGER) : 0;
}
