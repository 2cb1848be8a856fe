import type { LogLine } from "../../ports/records.ts";
import { isoTime } from "./time.ts";

/** A line of a task's log; `number` counts them from 1. */
export function logJson({ at, attempt, level, message }: LogLine, number?: number): string {
  return JSON.stringify({ at: isoTime(at), attempt, level, message, ...(number !== undefined && { number }) });
}
