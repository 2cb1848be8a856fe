// One task by its id, as consumers claim those that their messages name.

import type { JobDefinition } from "../job.ts";
import { ServerProblem } from "../problem.ts";
import { claimByIds } from "../worker/amqp/claim-by-ids.ts";
import { unknownJobs } from "../worker/amqp/unknown-jobs.ts";
import type { ClaimLoopParts } from "../worker/claim-loop.ts";
import type { ClaimedTask } from "../worker/claimed-task.ts";
import type { WorkerLog } from "../worker/options.ts";

export interface OneClaim {
  readonly log: WorkerLog;
  readonly queue: string;
  /** Those that the worker knows. */
  readonly jobs: readonly JobDefinition[];
}

export interface Claiming {
  readonly parts: ClaimLoopParts;
  /** Answers undefined where it is missing, taken, or not for this worker. */
  claim(id: string): Promise<ClaimedTask | undefined>;
}

export function claimingOne(parts: ClaimLoopParts, { log, queue, jobs }: OneClaim): Claiming {
  const { api, signal } = parts;
  const unknown = unknownJobs({ api, log, queue, jobs: new Map(jobs.map((job) => [job.name, job])) });

  async function claim(id: string): Promise<ClaimedTask | undefined> {
    const worker = parts.worker();
    try {
      return (await claimByIds(parts, worker, [id])).tasks[0];
    } catch (error) {
      if (!isMissing(error)) throw error;
      // It was silent for too long, or somebody removed it: it registers again, as every worker does.
      await parts.onGone(worker);
      return (await claimByIds(parts, parts.worker(), [id])).tasks[0];
    }
  }

  /** An operation that nobody knows is claimed all the same, so that it fails and does not wait for ever. */
  async function isAdopted(id: string): Promise<boolean> {
    try {
      const { body } = await api.request<SeenTask>("GET", `/tasks/${id}`, { signal });
      const isWaiting = body.status === "pending" && (body.run_at ?? null) === null;
      return isWaiting && (await unknown.adopt(body, parts.worker(), signal));
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  return { parts, claim: async (id) => (await claim(id)) ?? ((await isAdopted(id)) ? claim(id) : undefined) };
}

interface SeenTask extends ClaimedTask {
  readonly run_at?: string | null;
}

function isMissing(error: unknown): boolean {
  return error instanceof ServerProblem && error.status === 404;
}
