// How what a handler came to is written: as long as the attempt is still its own, and however long the database is away.

import type { Ending, Hold } from "../../core/internal-job.ts";
import { Problem } from "../../core/problem.ts";
import type { Move } from "../../core/task.ts";
import type { Failure } from "../../core/task-row.ts";
import type { TaskCard, TaskRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface EndingParts {
  readonly operations: Pick<Operations, "settle">;
  /** Throws when a result does not look as its job says. */
  checkResult(task: Pick<TaskRecord, "card">, result: string | null): void;
}

export interface AttemptEndings {
  settle(hold: Hold, move: Move): Promise<Problem | null>;
  close(hold: Hold, card: TaskCard, ending: Ending): Promise<void>;
  /** From now on nothing is tried twice. */
  hurry(): void;
}

const retryMs = 1_000;

export function attemptEndings({ clock, log }: Surroundings, parts: EndingParts): AttemptEndings {
  let hurried = false;

  /** Null once it is written, else why it never will be. A database that is away is waited for. */
  async function settle(hold: Hold, move: Move): Promise<Problem | null> {
    for (;;) {
      try {
        await parts.operations.settle(hold.task, { worker: hold.worker, attempt: hold.attempt }, move);
        return null;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        if (!error.retry || hurried) return error;
        await new Promise<void>((resolve) => clock.alarm(clock.now() + retryMs, resolve));
      }
    }
  }

  async function close(hold: Hold, card: TaskCard, ending: Ending): Promise<void> {
    const refused = await settle(hold, moveOf(card, ending));
    if (refused === null || isOver(refused)) return;
    // What cannot be kept, a result that is too large for one, is a failure: the task must not stay in nobody's hands.
    const error = { message: refused.message, code: refused.code, details: null };
    const again = await settle(hold, { type: "fail", error, retryable: false });
    if (again !== null) log.warn("a task could not be ended", { task: hold.task, error: again });
  }

  function moveOf(card: TaskCard, ending: Ending): Move {
    switch (ending.type) {
      case "completed":
        try {
          parts.checkResult({ card }, ending.result);
        } catch (error) {
          if (!(error instanceof Problem)) throw error;
          return { type: "fail", error: badResult(error), retryable: false };
        }
        return { type: "complete", result: ending.result };
      case "failed":
        return { type: "fail", error: ending.error, retryable: ending.retryable };
      case "later":
        return {
          ...{ type: "release", delayMs: ending.delayMs },
          reason: ending.reason === "shutdown" ? "shutdown" : "retry_later",
          ...(ending.checkpoint !== null && { checkpoint: ending.checkpoint }),
        };
      case "lost":
        return { type: "expire", reason: "session" };
    }
  }

  return {
    settle,
    close,
    hurry() {
      hurried = true;
    },
  };
}

/** The attempt is over, whatever the handler says. */
function isOver({ code }: Problem): boolean {
  return code === "lease-lost" || code === "invalid-task-transition" || code === "task-not-found";
}

function badResult({ message, errors }: Problem): Failure {
  return { message, code: "invalid_result", details: errors.length === 0 ? null : JSON.stringify({ errors }) };
}
