// Taking tasks: one claim is under way at a time, for as many as there are free hands, and waits at the server for what
// comes.

import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import { ServerProblem } from "../problem.ts";
import { delayMs, isUnsure, type SteadyApi } from "../steady-api.ts";
import type { Attempt } from "./attempt.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { Hands } from "./hands.ts";
import type { Strays } from "./strays.ts";

export interface ClaimLoopParts {
  readonly api: SteadyApi;
  readonly hands: Hands;
  readonly strays: Strays;
  /** The worker of the moment. */
  worker(): string;
  /** Aborts when no more tasks are wanted. */
  readonly signal: AbortSignal;
  take(task: ClaimedTask): Attempt;
  /** For what was taken by other means. */
  hold(attempt: Attempt): void;
  /** The server does not know this worker; resolves when there is another. */
  onGone(worker: string): Promise<void>;
}

const waitSeconds = 30;
const limitMax = 100;

/** Resolves when the signal aborts; throws what cannot be mended by waiting. */
export function claimLoop(parts: ClaimLoopParts): Promise<void> {
  return workLoop(parts, async (worker) => {
    for (const task of await claim(parts, worker)) parts.take(task);
  });
}

/** Asks for more whenever a hand is free, by whatever words, and begins anew with what goes wrong on the way. */
export async function workLoop(
  parts: Omit<ClaimLoopParts, "api" | "take" | "hold">,
  askForMore: (worker: string) => Promise<void>,
): Promise<void> {
  const { hands, strays, signal } = parts;
  let unsure = false;
  let failures = 0;
  while (!signal.aborted) {
    await hands.free(signal);
    // Handlers that end in the same moment are answered by one claim.
    await nextTurn();
    if (signal.aborted) return;
    const worker = parts.worker();
    try {
      if (unsure) await strays.giveBack(worker, { signal });
      unsure = false;
      await askForMore(worker);
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      unsure = isUnsure(error);
      if (unsure) {
        failures += 1;
        // Whoever stands in front of the server may answer this request alone, for as long as it likes.
        await pause(delayMs(failures, error), undefined, { signal }).catch(() => {});
        continue;
      }
      if (!(error instanceof ServerProblem && error.status === 404)) throw error;
      await parts.onGone(worker);
    }
  }
}

async function claim({ api, hands, signal }: ClaimLoopParts, worker: string): Promise<readonly ClaimedTask[]> {
  const body = { worker_id: worker, limit: Math.min(limitMax, hands.count()), start: true };
  const ask = { body, headers: { prefer: `wait=${waitSeconds}` }, signal, repeatable: false };
  return (await api.request<{ tasks: readonly ClaimedTask[] }>("POST", "/tasks/claim", ask)).body.tasks;
}
