// The lane of a task: found in the catalog, or made the first time someone asks for it.

import { defaultQueue, type Lane, type LaneKey, lanesMax } from "../core/lane.ts";
import { Problem } from "../core/problem.ts";
import type { JobRecord } from "../ports/records.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { checkLaneWords, type TaskRequest } from "./task-request.ts";

export interface Lanes {
  /** Throws unless the job exists and is active. */
  activeJob(name: string): Promise<JobRecord>;
  laneFor(job: JobRecord, request: Pick<TaskRequest, "queue" | "labels" | "checksum">): Promise<Lane>;
  /** Null: no limit. */
  setLimits(lane: number, limits: { readonly paused: boolean; readonly maxRunning: number | null }): Promise<void>;
}

export function lanes({ store, bus }: Surroundings, catalog: Catalog): Lanes {
  async function activeJob(name: string): Promise<JobRecord> {
    const known = catalog.job(name);
    if (known !== undefined && !known.deleted) return known;
    // It may have been registered with another server a moment ago.
    await catalog.refresh();
    const job = catalog.job(name);
    if (job === undefined || job.deleted) throw new Problem("job-not-found", `Job '${name}' does not exist`);
    return job;
  }

  async function laneFor(job: JobRecord, request: Pick<TaskRequest, "queue" | "labels" | "checksum">): Promise<Lane> {
    const key: LaneKey = {
      job: job.name,
      queue: request.queue ?? job.spec.queue ?? defaultQueue,
      labels: request.labels ?? {},
      checksum: request.checksum ?? "",
    };
    return catalog.laneFor(key) ?? makeLane(key);
  }

  async function makeLane(key: LaneKey): Promise<Lane> {
    checkLaneWords(key);
    if ([...catalog.lanes()].length >= lanesMax) {
      throw new Problem("too-many-lanes", `There are ${lanesMax} lanes already; reuse queues and labels`);
    }
    await store.amend({ jobs: [key.job] }, () => ({ answer: null, lanes: [key] }));
    await catalogChanged();
    return catalog.laneFor(key) as Lane;
  }

  async function catalogChanged(): Promise<void> {
    await catalog.refresh();
    bus.publish("catalog");
  }

  return {
    activeJob,
    laneFor,
    async setLimits(lane, limits) {
      await store.amend({}, () => ({ answer: null, laneLimits: [{ lane, ...limits }] }));
      await catalogChanged();
    },
  };
}
