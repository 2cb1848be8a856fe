// Polling: at once while there is something to do, then now and then. Never more than there are free hands for.

import { setTimeout as pause } from "node:timers/promises";
import { blockJob } from "../../../core/block.ts";
import type { SteadyApi } from "../../steady-api.ts";
import { type ClaimLoopParts, workLoop } from "../claim-loop.ts";
import type { ClaimedTask } from "../claimed-task.ts";

export interface PollLoopParts extends ClaimLoopParts {
  readonly root: SteadyApi;
  readonly pollMs: number;
}

interface Polled {
  readonly jobs: readonly { readonly id: string; readonly functionBlock: string; readonly parameters: unknown }[];
}

/** As many as one poll may take. */
const limitMax = 100;

/** Resolves when the signal aborts; throws what cannot be mended by waiting. */
export function pollLoop(parts: PollLoopParts): Promise<void> {
  return workLoop(parts, async (worker) => {
    const tasks = await poll(parts, worker);
    for (const task of tasks) parts.take(task);
    // Where it got something there may be more; where it got nothing there will be, later.
    if (tasks.length === 0) await pause(parts.pollMs, undefined, { signal: parts.signal });
  });
}

async function poll({ root, hands, signal }: PollLoopParts, worker: string): Promise<readonly ClaimedTask[]> {
  const body = { workerUuid: worker, max: Math.min(limitMax, hands.count()) };
  const ask = { body, signal, repeatable: false };
  const { body: answer, headers } = await root.request<Polled>("POST", "/blackboard/job", ask);
  const attempts = (headers.get("leadhand-attempts") ?? "").split(",").map(Number);
  return answer.jobs.map(({ id, functionBlock, parameters }, nth) => ({
    ...{ id, job_name: blockJob(functionBlock), room_id: "@global", attempt: attempts[nth] || 1 },
    // The push tells of its start too.
    ...{ status: "running", payload: parameters, checkpoint: null },
  }));
}
