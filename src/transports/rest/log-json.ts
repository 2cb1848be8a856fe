import type { LogLine } from "../../ports/records.ts";
import { isoTime } from "./time.ts";

/** A line of a task's log; `number` counts them from 1. */
export function logJson({ at, attempt, level, message, event, fields }: LogLine, number?: number): string {
  const words = { at: isoTime(at), attempt, level, message, event, ...(number !== undefined && { number }) };
  if (fields === undefined) return JSON.stringify(words);
  // In a stream a line is one line. Inside of texts JSON has no line breaks, so those between are but space.
  return `${JSON.stringify(words).slice(0, -1)},"fields":${fields.replaceAll(/[\r\n]/g, " ")}}`;
}
