// An engine's callers, whose answers go into a ledger. A refusal comes back as a Problem; an error that is no Problem, or
// a refusal that none of these calls can deserve, is a fault of the server and is thrown.

import type { Holder } from "../core/lease.ts";
import { Problem, type ProblemCode } from "../core/problem.ts";
import type { Move } from "../core/task.ts";
import type { TaskRow } from "../core/task-row.ts";
import type { ClaimRequest } from "../engine/dispatcher.ts";
import type { Operations } from "../engine/engine.ts";
import type { TaskRequest } from "../engine/task-request.ts";
import type { ClaimedTask, OpenTask, TaskRecord } from "../ports/records.ts";
import type { Entry } from "./ledger.ts";

export interface RecordedCalls {
  submit(requests: readonly TaskRequest[], key?: string): Promise<readonly TaskRecord[] | Problem>;
  claim(request: ClaimRequest): Promise<readonly ClaimedTask[] | Problem>;
  /** Tries again while the answer is that a retry may help. */
  settle(id: string, holder: Holder, move: Move): Promise<OpenTask | Problem>;
  cancel(id: string): Promise<OpenTask | Problem>;
  /** Any other call, of which only its kind of answer matters. */
  ask<T>(call: () => Promise<T>): Promise<T | Problem>;
}

/** Refusals that a race may earn. */
const deserved: readonly ProblemCode[] = [
  "lease-lost",
  "invalid-task-transition",
  "parent-closed",
  "worker-not-found",
  "too-many-pending",
];

const triesMax = 5;

export function recordedCalls(engine: Operations, note: (entry: Entry) => void): RecordedCalls {
  async function ask<T>(call: () => Promise<T>): Promise<T | Problem> {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Problem) || !(error.retry || deserved.includes(error.code))) throw error;
      if (error.retry) note({ what: "postponed", code: error.code });
      return error;
    }
  }

  function moved({ id, version, state, attempt, worker }: TaskRow, move?: Move): void {
    const result = move?.type === "complete" && state === "completed" ? { result: move.result as string } : {};
    note({ what: "moved", id, version, state, attempt, worker, ...result });
  }

  return {
    ask,

    async submit(requests, key) {
      if (key !== undefined) note({ what: "tried", key });
      const bodyHash = JSON.stringify(requests.map(({ payload }) => payload));
      const options = key === undefined ? {} : { key: { scope: "ledger", key, bodyHash } };
      const answer = await ask(() => engine.submit(requests, options));
      if (!(answer instanceof Problem)) {
        if (answer.length !== requests.length)
          throw new Error(`${answer.length} tasks for ${requests.length} requests`);
        for (const [index, { card }] of answer.entries()) {
          note({ what: "accepted", id: card.id, payload: requests[index]?.payload as string });
        }
      } else if (!answer.retry) for (const { payload } of requests) note({ what: "refused", payload });
      return answer;
    },

    async claim(request) {
      const answer = await ask(() => engine.claim(request));
      if (!(answer instanceof Problem)) for (const { row } of answer) moved(row);
      return answer;
    },

    async settle(id, holder, move) {
      let unclear = false;
      for (let tries = 1; ; tries += 1) {
        const answer = await ask(() => engine.settle(id, holder, move));
        if (!(answer instanceof Problem)) {
          checkOwn(answer.row, holder);
          moved(answer.row, move);
          return answer;
        }
        const denied = !answer.retry && !unclear && move.type === "complete";
        if (denied) note({ what: "denied", id, result: move.result as string });
        if (!answer.retry || tries === triesMax) return answer;
        unclear = true;
      }
    },

    async cancel(id) {
      const answer = await ask(() => engine.cancel({ id, actor: "someone" }));
      if (answer instanceof Problem) return answer;
      moved(answer.task.row);
      return answer.task;
    },
  };
}

/** What is answered to a holder speaks of its own attempt, or the fence has a hole. */
function checkOwn({ id, attempt, worker }: TaskRow, holder: Holder): void {
  if (attempt === holder.attempt && (worker === null || worker === holder.worker)) return;
  const other = `attempt ${attempt} of ${worker}`;
  throw new Error(`Attempt ${holder.attempt} of ${holder.worker} moved task ${id}, which was ${other}`);
}
