// The words of a manager about a task. Each is said under the task's lease, so that one that comes too late is refused; and
// said again where no answer came.

import type { Outcome } from "../run-handler.ts";
import type { ClaimedTask, TaskBody } from "./claimed-task.ts";
import { type Ask, hasStatus } from "./host-api.ts";
import type { Life } from "./life.ts";
import { untilAnswered } from "./patience.ts";

/** What has to be known of a task to speak about it. */
export type Mine = Pick<ClaimedTask, "taskId" | "leaseToken" | "task">;

/** All reject where the server refuses it. */
export interface Saying {
  started(task: Mine): Promise<void>;
  ended(task: Mine, outcome: Outcome): Promise<void>;
  cancelled(task: Mine): Promise<void>;
}

/** JSON texts, which leave as they are. */
type Members = Readonly<Record<string, string | null>>;

export function saying(ask: Ask, { over }: Pick<Life, "over">): Saying {
  function send(method: string, { taskId, leaseToken }: Mine, tail: string, members: Members): Promise<unknown> {
    const given = Object.entries({ ...members, lease_token: JSON.stringify(leaseToken) });
    const body = `{${given.flatMap(([key, text]) => (text === null ? [] : [`"${key}":${text}`])).join()}}`;
    return ask(method, `/tasks/${taskId}${tail}`, { body });
  }

  function patch(task: Mine, status: string, members: Members = {}): Promise<unknown> {
    return send("PATCH", task, "", { status: JSON.stringify(status), ...members });
  }

  function tell(task: Mine, outcome: Outcome): Promise<unknown> {
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

  /** Until it is answered: it brings the task to one of these states. */
  function once(task: Mine, states: readonly string[], say: () => Promise<unknown>): Promise<void> {
    return untilAnswered(over, async (isRepeated) => {
      try {
        await say();
      } catch (error) {
        // The try whose answer was lost may have been the one that was heard.
        if (!(isRepeated && hasStatus(error, 409) && (await hasCome(task, states)))) throw error;
      }
    });
  }

  /** Within one attempt nobody but its holder brings the task there. */
  async function hasCome({ taskId, task }: Mine, states: readonly string[]): Promise<boolean> {
    const { body } = await ask<TaskBody>("GET", `/tasks/${taskId}`);
    return body.attempt === task.attempt && states.includes(body.status);
  }

  return {
    started: (task) => once(task, ["running"], () => patch(task, "running")),
    ended: (task, outcome) => once(task, stateAfter[outcome.type], () => tell(task, outcome)),
    // Whoever else cancelled it meanwhile did the same.
    cancelled: (task) => once(task, ["cancelled"], () => patch(task, "cancelled")),
  };
}

/** A failure that is to be tried again leaves its task pending. */
const stateAfter: Readonly<Record<Outcome["type"], readonly string[]>> = {
  completed: ["completed"],
  failed: ["failed", "pending"],
  released: ["pending"],
};
