// Tasks that messages name, asked for by their ids.

import type { ClaimLoopParts } from "../claim-loop.ts";
import type { ClaimedTask } from "../claimed-task.ts";

export interface ClaimedByIds {
  readonly tasks: readonly ClaimedTask[];
  /** Those left out that still wait for somebody; absent where the server could not say. */
  readonly waiting?: readonly string[];
}

/** These tasks, as far as they are there to be claimed. */
export async function claimByIds(
  { api, hands, signal }: Pick<ClaimLoopParts, "api" | "hands" | "signal">,
  worker: string,
  ids: readonly string[],
): Promise<ClaimedByIds> {
  const task_ids = [...new Set(ids)].filter((id) => !hands.has(id));
  if (task_ids.length === 0) return { tasks: [] };
  const ask = { body: { worker_id: worker, task_ids }, signal, repeatable: false };
  return (await api.request<ClaimedByIds>("POST", "/tasks/claim", ask)).body;
}
