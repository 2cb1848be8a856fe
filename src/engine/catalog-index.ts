// The indexes of the catalog: jobs by name, lanes by key and job, workers by id. Removed workers are forgotten.

import { type Lane, type LaneKey, laneText } from "../core/lane.ts";
import { type Pause, type PauseKind, pauseKey } from "../core/pause.ts";
import type { JobRecord, WorkerRecord } from "../ports/records.ts";
import type { Catalog as CatalogChange } from "../ports/store-reads.ts";

export interface CatalogIndex {
  job(name: string): JobRecord | undefined;
  jobs(): IterableIterator<JobRecord>;
  lane(id: number): Lane | undefined;
  lanes(): IterableIterator<Lane>;
  laneFor(key: LaneKey): Lane | undefined;
  lanesOfJob(name: string): readonly number[];
  /** Ids of the workers that are linked to the job. */
  workersOfJob(name: string): readonly string[];
  worker(id: string): WorkerRecord | undefined;
  workers(): IterableIterator<WorkerRecord>;
  /** Where one counts. */
  pause(kind: PauseKind, name: string): Pause | undefined;
  pauses(): IterableIterator<Pause>;
}

export function catalogIndex(): CatalogIndex & { keep(change: CatalogChange): void } {
  const jobs = new Map<string, JobRecord>();
  const lanes = new Map<number, Lane>();
  const laneIds = new Map<string, number>();
  const jobLanes = new Map<string, number[]>();
  const workers = new Map<string, WorkerRecord>();
  const jobWorkers = new Map<string, Set<string>>();
  const pauses = new Map<string, Pause>();

  function keepLane(lane: Lane): void {
    if (!lanes.has(lane.id)) jobLanes.set(lane.job, [...(jobLanes.get(lane.job) ?? []), lane.id]);
    lanes.set(lane.id, lane);
    laneIds.set(laneText(lane), lane.id);
  }

  function unlink(id: string): void {
    for (const job of workers.get(id)?.jobs.keys() ?? []) jobWorkers.get(job)?.delete(id);
    workers.delete(id);
  }

  function keepWorker(worker: WorkerRecord): void {
    unlink(worker.id);
    workers.set(worker.id, worker);
    for (const job of worker.jobs.keys()) {
      const linked = jobWorkers.get(job) ?? new Set();
      jobWorkers.set(job, linked.add(worker.id));
    }
  }

  return {
    keep(change) {
      for (const job of change.jobs) jobs.set(job.name, job);
      for (const lane of change.lanes) keepLane(lane);
      for (const worker of change.workers) {
        if (worker.session.removedAt === null) keepWorker(worker);
        else unlink(worker.id);
      }
      for (const pause of change.pauses) {
        if (pause.endedAt === null) pauses.set(pauseKey(pause), pause);
        else pauses.delete(pauseKey(pause));
      }
    },
    job: (name) => jobs.get(name),
    jobs: () => jobs.values(),
    lane: (id) => lanes.get(id),
    lanes: () => lanes.values(),
    laneFor: (key) => lanes.get(laneIds.get(laneText(key)) ?? -1),
    lanesOfJob: (name) => jobLanes.get(name) ?? [],
    workersOfJob: (name) => [...(jobWorkers.get(name) ?? [])],
    worker: (id) => workers.get(id),
    workers: () => workers.values(),
    pause: (kind, name) => pauses.get(pauseKey({ kind, name })),
    pauses: () => pauses.values(),
  };
}
