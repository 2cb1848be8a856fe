// What a manager says about a task in its hands. Everything is said under the task's lease, so that a word that comes
// too late is refused; and said again where no answer came.

import { failureOf } from "../failure.ts";
import type { Outcome } from "../run-handler.ts";
import type { ClaimedTask, TaskBody } from "./claimed-task.ts";
import { type Held, isLost } from "./held.ts";
import { type Ask, hasStatus, isForbidden, problemBehind } from "./host-api.ts";
import type { Life, ManagerLog } from "./life.ts";
import { backOffMs, untilAnswered } from "./patience.ts";
import { pause } from "./wake-up.ts";

/** What has to be known of a task to speak about it. */
export type Mine = Pick<ClaimedTask, "taskId" | "leaseToken" | "task">;

export interface Settling {
  start(task: Mine): Promise<void>;
  /** Rejects where the server refuses it. */
  settle(task: Mine, outcome: Outcome): Promise<void>;
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
  /** The members are JSON texts, which leave as they are. */
  function send(method: string, { taskId, leaseToken }: Mine, tail: string, members: Record<string, string | null>) {
    const given = Object.entries({ ...members, lease_token: JSON.stringify(leaseToken) });
    const body = `{${given.flatMap(([key, text]) => (text === null ? [] : [`"${key}":${text}`])).join()}}`;
    return ask(method, `/tasks/${taskId}${tail}`, { body });
  }

  function patch(task: Mine, status: string, members: Record<string, string | null> = {}) {
    return send("PATCH", task, "", { status: JSON.stringify(status), ...members });
  }

  async function start(task: Mine): Promise<void> {
    await untilAnswered(life.over, async (isRepeated) => {
      try {
        await patch(task, "running");
      } catch (error) {
        // The try whose answer was lost may have been the one that started it.
        if (!(isRepeated && hasStatus(error, 409) && (await hasCome(task, ["running"])))) throw error;
      }
    });
  }

  /** Within one attempt nobody but its holder brings the task there. */
  async function hasCome({ taskId, task }: Mine, states: readonly string[]): Promise<boolean> {
    const { body } = await ask<TaskBody>("GET", `/tasks/${taskId}`);
    return body.attempt === task.attempt && states.includes(body.status);
  }

  async function settle(task: Mine, outcome: Outcome): Promise<void> {
    await held.flush(task.taskId);
    await tellOnce(task, outcome);
    held.letGo(task.taskId);
  }

  function tellOnce(task: Mine, outcome: Outcome): Promise<void> {
    return untilAnswered(life.over, async (isRepeated) => {
      try {
        await tell(task, outcome);
      } catch (error) {
        // The try whose answer was lost may have been the one that was heard.
        if (!(isRepeated && hasStatus(error, 409) && (await hasCome(task, stateAfter[outcome.type])))) throw error;
      }
    });
  }

  function tell(task: Mine, outcome: Outcome) {
    switch (outcome.type) {
      case "completed":
        return patch(task, "completed", { result: outcome.result });
      case "failed": {
        const { message, code, details, retryable } = outcome;
        const words = { error: JSON.stringify(message), error_code: code && JSON.stringify(code) };
        return patch(task, "failed", { ...words, error_details: details, retryable: JSON.stringify(retryable) });
      }
      case "released": {
        const { delayMs, checkpoint } = outcome;
        return send("POST", task, "/release", { delay_seconds: JSON.stringify(delayMs / 1_000), checkpoint });
      }
    }
  }

  async function settleSomehow(task: Mine, signal: AbortSignal, outcome: Outcome): Promise<void> {
    if (isLost(signal)) return log.info(`The outcome of task ${task.taskId} is no longer asked for`);
    await held.flush(task.taskId);
    const last: (error: unknown) => Outcome =
      outcome.type === "failed" ? () => ({ ...outcome, details: null }) : (error) => refused(error);
    await ridOf(task, [() => outcome, last, () => back]);
    held.letGo(task.taskId);
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
        await tellOnce(task, way(refusal));
        return;
      } catch (error) {
        refusal = error;
        if (isForbidden(error)) return life.fail(error);
        if (hasStatus(error, 404, 409)) return log.warn(`Task ${task.taskId} is in other hands, or over`, error);
        log.error(`Of task ${task.taskId} the server would not hear`, error);
        if (life.over.aborted) return;
        if (tries > 1) await pause(backOffMs(tries - 2, error), life.over);
      }
    }
  }

  return {
    start,
    settle,
    settleSomehow,
    async cancel(task) {
      await untilAnswered(life.over, () => patch(task, "cancelled"));
      held.letGo(task.taskId);
    },
    async giveBack(task, why) {
      held.letGo(task.taskId);
      if (isForbidden(why)) return life.fail(why);
      if (hasStatus(why, 404, 409)) return log.info(`Task ${task.taskId} was not to be started`, why);
      log.warn(`Task ${task.taskId} is given back`, why);
      await ridOf(task, [() => back, () => ({ type: "failed", ...failureOf(why) }), () => back]);
    },
  };
}

/** A failure that is to be tried again leaves its task pending. */
const stateAfter: Readonly<Record<Outcome["type"], readonly string[]>> = {
  completed: ["completed"],
  failed: ["failed", "pending"],
  released: ["pending"],
};

const back: Outcome = { type: "released", delayMs: 0, checkpoint: null };

/** The work was done, and the server will not have it: that is a failure, and no reason to leave the task running. */
function refused(error: unknown): Outcome {
  const problem = problemBehind(error);
  const fields = problem?.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ") ?? "";
  const message = `The server refused the result: ${problem?.message}${fields === "" ? "" : ` (${fields})`}`;
  return { type: "failed", message, code: problem?.code ?? null, details: null, retryable: false };
}
