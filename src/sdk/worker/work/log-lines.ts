// Lines of the logs of tasks that asked for them, until they are sent.

import { isWanted, type LogLevel } from "../../../core/log-level.ts";
import type { HeldTask } from "./held-task.ts";
import { bytesOf, entriesMax } from "./words.ts";

export interface LogLines {
  add(held: HeldTask, level: LogLevel, message: string, at: number): void;
  count(): number;
  bytes(): number;
  /** The oldest, as JSON: as many as fit into so many bytes, and at least one. */
  take(room: number): readonly string[];
}

/** Handlers that talk faster than the wire carries lose words, and are told so. */
const linesKept = 10_000;
const bytesKept = 16 * 1_048_576;

export function logLines(): LogLines {
  let lines: string[] = [];
  let bytes = 0;
  let dropped = 0;
  let last = 0;

  function push({ id: jobId, attempt }: HeldTask["job"], level: LogLevel, message: string, at: number): void {
    last += 1;
    const text = JSON.stringify({ jobId, attempt, seq: last, ts: new Date(at).toISOString(), level, message });
    lines.push(text);
    bytes += text.length;
  }

  return {
    add({ job }, level, message, at) {
      if (!job.logs.requested || !isWanted(level, job.logs.level ?? "info")) return;
      if (lines.length >= linesKept || bytes >= bytesKept) {
        dropped += 1;
        return;
      }
      if (dropped > 0) push(job, "warn", `${dropped} lines were dropped: there were too many at once`, at);
      dropped = 0;
      push(job, level, message, at);
    },
    count: () => lines.length,
    bytes: () => bytes,
    take(room) {
      let free = room;
      const end = lines.findIndex((text, index) => {
        free -= bytesOf(text);
        return index >= entriesMax || (index > 0 && free < 0);
      });
      const taken = end < 0 ? lines : lines.slice(0, end);
      lines = end < 0 ? [] : lines.slice(end);
      bytes = lines.reduce((sum, text) => sum + text.length, 0);
      return taken;
    },
  };
}
