// What a handler says while it runs. Nobody waits for it, and what is refused or lost costs the task nothing.

import type { Hold } from "../../core/internal-job.ts";
import { isWanted } from "../../core/log-level.ts";
import { Problem } from "../../core/problem.ts";
import type { Reports } from "../../ports/broker.ts";
import type { TaskCard } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface SpokenWordsParts {
  readonly operations: Pick<Operations, "progress" | "records">;
  /** Undefined for what is not in hand. */
  cardOf(hold: Hold): TaskCard | undefined;
}

export function spokenWords(
  { log }: Surroundings,
  { operations, cardOf }: SpokenWordsParts,
): Pick<Reports, "progressed" | "logged"> {
  const noted = (what: string, task: string) => (error: unknown) => {
    if (error instanceof Problem) log.debug(`${what} of an internal task was dropped`, { task, code: error.code });
    else log.warn(`${what} of an internal task could not be written`, { task, error });
  };
  return {
    progressed({ task, worker, attempt }, progress) {
      operations.progress(task, { holder: { worker, attempt } }, progress).catch(noted("progress", task));
    },
    logged(hold, lines) {
      const { task, attempt } = hold;
      const wanted = lines.filter(({ level }) => isWanted(level, cardOf(hold)?.logs ?? null));
      if (wanted.length === 0) return;
      operations.records.log(wanted.map((line) => ({ task, attempt, ...line }))).catch(noted("a log line", task));
    },
  };
}
