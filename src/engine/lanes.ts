// The lane of a task: found in the catalog, or made the first time someone asks for it.

import { checkCount } from "../core/checks.ts";
import { defaultQueue, type Lane, type LaneKey, lanesMax } from "../core/lane.ts";
import { Problem } from "../core/problem.ts";
import type { JobRecord } from "../ports/records.ts";
import { activeJob } from "./active-job.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { checkLaneWords, type TaskRequest } from "./task-request.ts";

export interface Place {
  readonly job: JobRecord;
  readonly lane: Lane;
}

export type LaneWords = Pick<TaskRequest, "job" | "queue" | "labels" | "checksum">;

export interface Lanes {
  /** Where the task goes, if this server knows job and lane already. */
  known(request: LaneWords): Place | undefined;
  /** Makes the lane if need be. Throws unless the job exists and is active. */
  place(request: LaneWords): Promise<Place>;
  /** Null: no limit. */
  setLimits(lane: number, limits: { readonly paused: boolean; readonly maxRunning: number | null }): Promise<void>;
}

export function lanes({ store, bus }: Surroundings, catalog: Catalog): Lanes {
  function keyOf(job: JobRecord, request: LaneWords): LaneKey {
    return {
      job: job.name,
      queue: request.queue ?? job.spec.queue ?? defaultQueue,
      labels: request.labels ?? {},
      checksum: request.checksum ?? "",
    };
  }

  function known(request: LaneWords): Place | undefined {
    const job = catalog.job(request.job);
    if (job === undefined || job.deleted) return undefined;
    const lane = catalog.laneFor(keyOf(job, request));
    return lane === undefined ? undefined : { job, lane };
  }

  async function place(request: LaneWords): Promise<Place> {
    const job = await activeJob(catalog, request.job);
    const key = keyOf(job, request);
    return { job, lane: catalog.laneFor(key) ?? (await makeLane(key)) };
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
    known,
    place,
    async setLimits(lane, limits) {
      if (limits.maxRunning !== null) checkCount("/maxRunning", limits.maxRunning);
      if (catalog.lane(lane) === undefined) await catalog.refresh();
      if (catalog.lane(lane) === undefined) throw new Problem("not-found", `There is no lane ${lane}`);
      await store.amend({}, () => ({ answer: null, laneLimits: [{ lane, ...limits }] }));
      await catalogChanged();
    },
  };
}
