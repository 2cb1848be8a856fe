// Operations that this consumer does not know: whether another one of its queue does, as while a newer version is deployed.
// A token that is limited to some jobs hears of others that there are none, so it cannot tell.

import { mayUseJob, type Principal } from "../../../core/access.ts";
import { ServerProblem } from "../../problem.ts";
import type { SteadyApi, SteadyAsk } from "../../steady-api.ts";
import { elapsedMs } from "../../system.ts";
import type { WorkerLog } from "../options.ts";
import { colleagues, takesMessages } from "./colleagues.ts";
import { operationJob } from "./operation-name.ts";
import { findJob } from "./unknown-jobs.ts";

export interface UnknownOperationsParts {
  readonly api: SteadyApi;
  readonly log: Pick<WorkerLog, "debug" | "warn">;
  readonly queue: string;
  /** Under which id this one is registered. */
  worker(): string;
  /** Handed in by tests. */
  readonly now?: () => number;
}

/** Many messages of one operation may come at once. */
const knownMs = 1_000;
const operationsKept = 1_000;
const tries = 3;

/** Answers whether somebody else who consumes the queue has it; rejects where that cannot be learnt now. */
export function unknownOperations({ api, log, queue, worker, now = elapsedMs }: UnknownOperationsParts) {
  const areAmong = colleagues(api, takesMessages(queue), now);
  const warned = new Set<string>();
  const known = new Map<string, { readonly since: number; readonly answer: Promise<boolean> }>();

  async function ask(operation: string, how: Pick<SteadyAsk, "tries" | "signal">): Promise<boolean> {
    const job = operationJob(operation);
    try {
      const { workers } = await findJob(api, job, how);
      const others = workers.filter((other) => other !== worker());
      const isKnown = await areAmong(others, how);
      if (isKnown) log.debug("an operation is left to another consumer, which knows it", { queue, operation });
      return isKnown;
    } catch (error) {
      if (!hasNobody(error)) throw error;
      const { body: caller } = await api.request<Pick<Principal, "rooms" | "jobs">>("GET", "/me", how);
      if (mayUseJob(caller, job)) return false;
      if (!warned.has(operation) && warned.size < operationsKept) {
        warned.add(operation);
        log.warn("an operation is left to others: the token of this consumer may not see its job", {
          queue,
          operation,
        });
      }
      return true;
    }
  }

  return (operation: string, signal: AbortSignal): Promise<boolean> => {
    const before = known.get(operation);
    if (before !== undefined && now() - before.since < knownMs) return before.answer;
    const mine = { since: now(), answer: ask(operation, { tries, signal }) };
    known.delete(operation);
    known.set(operation, mine);
    const [oldest] = known.keys();
    if (known.size > operationsKept && oldest !== undefined) known.delete(oldest);
    mine.answer.catch(() => {
      if (known.get(operation) === mine) known.delete(operation);
    });
    return mine.answer;
  };
}

/** No job has such a name, or can have it; a token that is refused for the moment says nothing of that. */
function hasNobody(error: unknown): boolean {
  if (error instanceof URIError) return true;
  return error instanceof ServerProblem && error.status < 500 && ![401, 408, 429].includes(error.status);
}
