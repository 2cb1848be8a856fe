// A task that was not given to this worker, as the server has it now.

import { ServerProblem } from "../../problem.ts";
import type { ClaimLoopParts } from "../claim-loop.ts";
import type { ClaimedTask } from "../claimed-task.ts";

export interface SeenTask extends ClaimedTask {
  readonly run_at?: string | null;
}

const tries = 3;

/** Null where there is none for this worker; "unknown" where the server cannot say now. */
export async function seen(
  { api, signal }: Pick<ClaimLoopParts, "api" | "signal">,
  id: string,
): Promise<SeenTask | "unknown" | null> {
  try {
    return (await api.request<SeenTask>("GET", `/tasks/${id}`, { tries, signal })).body;
  } catch (error) {
    if (!(error instanceof ServerProblem) || error.status === 401) throw error;
    return error.status >= 500 || error.status === 429 ? "unknown" : null;
  }
}
