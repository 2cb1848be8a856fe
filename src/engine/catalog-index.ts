// The indexes of the catalog: jobs by name, lanes by key and job, workers by id. Removed workers are forgotten.

import { type Lane, type LaneKey, laneText } from "../core/lane.ts";
import type { JobRecord, WorkerRecord } from "../ports/records.ts";
import type { Catalog as CatalogChange } from "../ports/store-reads.ts";

export interface CatalogIndex {
  job(name: string): JobRecord | undefined;
  jobs(): IterableIterator<JobRecord>;
  lane(id: number): Lane | undefined;
  lanes(): IterableIterator<Lane>;
  laneFor(key: LaneKey): Lane | undefined;
  lanesOfJob(name: string): readonly number[];
  worker(id: string): WorkerRecord | undefined;
  workers(): IterableIterator<WorkerRecord>;
}

export function catalogIndex(): CatalogIndex & { keep(change: CatalogChange): void } {
  const jobs = new Map<string, JobRecord>();
  const lanes = new Map<number, Lane>();
  const laneIds = new Map<string, number>();
  const jobLanes = new Map<string, number[]>();
  const workers = new Map<string, WorkerRecord>();

  function keepLane(lane: Lane): void {
    if (!lanes.has(lane.id)) jobLanes.set(lane.job, [...(jobLanes.get(lane.job) ?? []), lane.id]);
    lanes.set(lane.id, lane);
    laneIds.set(laneText(lane), lane.id);
  }

  return {
    keep(change) {
      for (const job of change.jobs) jobs.set(job.name, job);
      for (const lane of change.lanes) keepLane(lane);
      for (const worker of change.workers) {
        if (worker.session.removedAt === null) workers.set(worker.id, worker);
        else workers.delete(worker.id);
      }
    },
    job: (name) => jobs.get(name),
    jobs: () => jobs.values(),
    lane: (id) => lanes.get(id),
    lanes: () => lanes.values(),
    laneFor: (key) => lanes.get(laneIds.get(laneText(key)) ?? -1),
    lanesOfJob: (name) => jobLanes.get(name) ?? [],
    worker: (id) => workers.get(id),
    workers: () => workers.values(),
  };
}
