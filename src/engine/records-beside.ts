// Lines that stand beside the machine: logs of tasks, events of workers, results that came too late.

import { checkCount, checkTime } from "../core/checks.ts";
import type { LogLine, Refusal, WorkerEvent } from "../ports/records.ts";
import { groupCommit } from "./group-commit.ts";
import type { Surroundings } from "./surroundings.ts";

export interface RecordsBeside {
  log(lines: readonly LogLine[]): Promise<void>;
  workerEvent(event: WorkerEvent): Promise<void>;
  /** Answered only once it is written: a refusal is part of the history. */
  refused(refusal: Refusal): Promise<void>;
  quiet(): Promise<void>;
}

type Line = { readonly logs: readonly LogLine[] } | { readonly event: WorkerEvent } | { readonly refusal: Refusal };

export function recordsBeside({ store, bus, clock, telemetry, settings }: Surroundings): RecordsBeside {
  const commits = groupCommit<Line, null>({
    async run(lines) {
      const startedAt = clock.now();
      await store.append({
        logs: lines.flatMap((line) => ("logs" in line ? line.logs : [])),
        workerEvents: lines.flatMap((line) => ("event" in line ? [line.event] : [])),
        refusals: lines.flatMap((line) => ("refusal" in line ? [line.refusal] : [])),
      });
      telemetry.committed("append", lines.length, clock.now() - startedAt);
      return lines.map(() => null);
    },
    weigh: (line) => ("logs" in line ? line.logs.length : 1),
    weightMax: settings.batchMax,
    width: 1,
  });
  return {
    async log(logs) {
      for (const line of logs) checkLine(line);
      await commits.call({ logs });
      for (const task of new Set(logs.map((line) => line.task))) bus.publish(`log:${task}`);
    },
    workerEvent: async (event) => void (await commits.call({ event })),
    refused: async (refusal) => void (await commits.call({ refusal })),
    quiet: () => commits.quiet(),
  };
}

/** Lines are written together: a bad one would take others with it. */
function checkLine({ attempt, at }: LogLine): void {
  checkCount("/attempt", attempt);
  checkTime("/at", at);
}
