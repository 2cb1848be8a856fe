// Taking tasks: one claim is under way at a time, for as many as there are free hands, and waits at the server for what
// comes. Claims whose answer was lost may have taken tasks that nobody here knows of; those go back.

import { ServerProblem } from "../problem.ts";
import type { SteadyApi } from "../steady-api.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { Hands } from "./hands.ts";

export interface ClaimLoopParts {
  readonly api: SteadyApi;
  readonly hands: Hands;
  /** The worker of the moment. */
  worker(): string;
  /** Aborts when no more tasks are wanted. */
  readonly signal: AbortSignal;
  take(task: ClaimedTask): void;
  /** The server does not know this worker; resolves when there is another. */
  onGone(worker: string): Promise<void>;
}

const waitSeconds = 30;
const limitMax = 100;

/** Resolves when the signal aborts; throws what cannot be mended by waiting. */
export async function claimLoop(parts: ClaimLoopParts): Promise<void> {
  const { api, hands, signal, take } = parts;
  while (!signal.aborted) {
    await hands.free(signal);
    if (signal.aborted) return;
    const worker = parts.worker();
    try {
      const body = { worker_id: worker, limit: Math.min(limitMax, hands.count()), start: true };
      const ask = { body, headers: { prefer: `wait=${waitSeconds}` }, signal };
      const reply = await api.request<{ tasks: readonly ClaimedTask[] }>("POST", "/tasks/claim", ask);
      for (const task of reply.body.tasks) take(task);
      if (reply.lostAnswers > 0) await giveBackUnknown(api, worker, hands);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerProblem && error.status === 404)) throw error;
      await parts.onGone(worker);
    }
  }
}

interface Listed {
  readonly items: readonly { readonly id: string; readonly attempt: number }[];
}

/** Tasks that the server takes for held by this worker, and that it does not have. */
export async function giveBackUnknown(api: SteadyApi, worker: string, hands: Hands): Promise<void> {
  for (const status of ["running", "claimed"]) {
    const path = `/workers/${worker}/tasks?status=${status}&limit=500`;
    const { body } = await api.request<Listed>("GET", path, { tries: 5 });
    const unknown = body.items.filter(({ id }) => !hands.has(id));
    await Promise.all(unknown.map(({ id, attempt }) => giveBack(api, id, attempt)));
  }
}

async function giveBack(api: SteadyApi, id: string, attempt: number): Promise<void> {
  try {
    await api.request("POST", `/tasks/${id}/release`, { body: { attempt }, tries: 5 });
  } catch (error) {
    // It went back by itself, or cannot be given back without the token that was lost: then the server does it in time.
    if (!(error instanceof ServerProblem) || error.status === 401) throw error;
  }
}
