// An event of a handler's own, as the server takes it. Whatever a handler hands in becomes one: telling an event never
// fails a task.

import type { EmitLevel, TaskLog } from "./job.ts";
import { plainText } from "./plain-text.ts";

/** `event` is a dotted name. */
export interface Emission {
  readonly level: keyof TaskLog;
  readonly event: string;
  readonly message: string | null;
  /** Can be said in JSON. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** Room for a beginning that says whose it is. */
const eventMax = 240;
const messageMax = 4_096;
const fieldsMax = 65_536;

export function emission(
  event: string,
  message: string | null | undefined,
  fields: Readonly<Record<string, unknown>> | undefined,
  level: EmitLevel,
): Emission {
  return {
    level: level === "warning" ? "warn" : (levels.find((each) => each === level) ?? "info"),
    event: dotted(plainText(String(event), eventMax)),
    message: message === undefined || message === null ? null : plainText(String(message), messageMax),
    fields: sayable(fields),
  };
}

/** Where events cannot be sent as such they are lines of the task's log. */
export function emissionLine({ event, message, fields }: Emission): string {
  return [event, message, fields === null ? null : JSON.stringify(fields)].filter((part) => part !== null).join(" ");
}

/** What the reserved fields say of the task's progress; null where they say nothing. */
export function progressIn(fields: Readonly<Record<string, unknown>> | undefined): [number, number | undefined] | null {
  const { _progress_current: current, _progress_total: total } = fields ?? {};
  if (typeof current !== "number") return null;
  return [current, typeof total === "number" ? total : undefined];
}

/** As servers take names: parts between single dots, and no spaces. */
function dotted(name: string): string {
  const parts = name.trim().replace(/\s+/g, "_").split(".");
  return parts.filter((part) => part !== "").join(".") || "event";
}

const levels: readonly (keyof TaskLog)[] = ["debug", "info", "warn", "error"];

function sayable(fields: Readonly<Record<string, unknown>> | undefined): Emission["fields"] {
  if (fields === undefined || fields === null) return null;
  try {
    const text = JSON.stringify(fields);
    return text.length <= fieldsMax ? (JSON.parse(text) as Emission["fields"]) : { note: "The fields were too large" };
  } catch {
    return { note: "The fields cannot be written as JSON" };
  }
}
