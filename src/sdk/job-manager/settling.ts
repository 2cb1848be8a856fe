// What becomes of a task in a manager's hands: it ends, goes back, or turns out to be another's.

import { failureOf } from "../failure.ts";
import type { Outcome } from "../run-handler.ts";
import { type Held, isLost } from "./held.ts";
import { type Ask, hasStatus, isForbidden, problemBehind } from "./host-api.ts";
import type { Life, ManagerLog } from "./life.ts";
import { backOffMs } from "./patience.ts";
import { type Mine, saying } from "./saying.ts";
import { pause } from "./wake-up.ts";

export interface Settling {
  start(task: Mine): Promise<void>;
  /** Rejects where the server refuses it. The task stays in hand then, unless it is over, or in other hands. */
  settle(task: Mine, outcome: Outcome): Promise<void>;
  /** Likewise. */
  cancel(task: Mine): Promise<void>;
  /** For a loop that has to go on: whatever the server says, the task is in an end or in other hands, as far as that is
   * in our power, and what could not be done is in the log. */
  settleSomehow(task: Mine, signal: AbortSignal, outcome: Outcome): Promise<void>;
  /** Likewise, for a task that could not be started. */
  giveBack(task: Mine, why: unknown): Promise<void>;
}

export interface SettlingParts {
  readonly ask: Ask;
  readonly life: Life;
  readonly held: Held;
  readonly log: ManagerLog;
}

/** After that the server takes it back by itself, five minutes after the claim. */
const ridTriesMax = 10;

export function settling({ ask, life, held, log }: SettlingParts): Settling {
  const say = saying(ask, life);

  function letGo({ taskId, task }: Mine): void {
    held.letGo(taskId, task.attempt);
  }

  async function lettingGo(mine: Mine, ended: Promise<void>): Promise<void> {
    try {
      await ended;
    } catch (error) {
      // A task of which the server would hear something else is still ours to say it.
      if (isAnothers(error)) letGo(mine);
      throw error;
    }
    letGo(mine);
  }

  async function settleSomehow(task: Mine, signal: AbortSignal, outcome: Outcome): Promise<void> {
    if (isLost(signal)) return log.info(`The outcome of task ${task.taskId} is no longer asked for`);
    await held.flush(task.taskId);
    const last: (error: unknown) => Outcome =
      outcome.type === "failed" ? () => ({ ...outcome, details: null }) : (error) => refused(error);
    await ridOf(task, [() => outcome, last, () => back]);
    letGo(task);
  }

  /**
   * A task that nobody works on must not stay in our hands. The ways are tried in turn, each told what was said against
   * the one before; from then on all but the first, again and again.
   */
  async function ridOf(task: Mine, [first, ...others]: readonly ((error: unknown) => Outcome)[]): Promise<void> {
    let refusal: unknown;
    for (let tries = 0; tries < ridTriesMax; tries += 1) {
      const way = tries === 0 ? first : others[(tries - 1) % others.length];
      if (way === undefined) return;
      try {
        await say.ended(task, way(refusal));
        return;
      } catch (error) {
        refusal = error;
        if (isForbidden(error)) return life.fail(error);
        if (isAnothers(error)) return log.warn(`Task ${task.taskId} is in other hands, or over`, error);
        log.error(`Of task ${task.taskId} the server would not hear`, error);
        if (life.over.aborted) return;
        if (tries > 1) await pause(backOffMs(tries - 2, error), life.over);
      }
    }
  }

  return {
    start: say.started,
    async settle(task, outcome) {
      await held.flush(task.taskId);
      await lettingGo(task, say.ended(task, outcome));
    },
    cancel: (task) => lettingGo(task, say.cancelled(task)),
    settleSomehow,
    async giveBack(task, why) {
      letGo(task);
      if (isForbidden(why)) return life.fail(why);
      if (isAnothers(why)) return log.info(`Task ${task.taskId} was not to be started`, why);
      log.warn(`Task ${task.taskId} is given back`, why);
      await ridOf(task, [() => back, () => ({ type: "failed", ...failureOf(why) }), () => back]);
    },
  };
}

/** Whether somebody else has the last word about the task. */
function isAnothers(error: unknown): boolean {
  return hasStatus(error, 404, 409);
}

const back: Outcome = { type: "released", delayMs: 0, checkpoint: null };

/** The work was done, and the server will not have it: that is a failure, and no reason to leave the task running. */
function refused(error: unknown): Outcome {
  const problem = problemBehind(error);
  const fields = problem?.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ") ?? "";
  const message = `The server refused the result: ${problem?.message}${fields === "" ? "" : ` (${fields})`}`;
  return { type: "failed", message, code: problem?.code ?? null, details: null, retryable: false };
}
