// Which lanes a worker may serve, computed when either changes, not when it asks. Equal sets are one object, so that
// demands of a whole fleet can be grouped by it.

import { type Lane, mayServe } from "../core/lane.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Catalog as CatalogChange } from "../ports/store-reads.ts";
import type { CatalogIndex } from "./catalog-index.ts";

export interface LaneSet {
  readonly lanes: readonly number[];
  /** Those with a maxRunning. */
  readonly limited: readonly number[];
}

const noLanes: LaneSet = { lanes: [], limited: [] };

export interface ServedLanes {
  of(worker: string): LaneSet;
  forget(change: CatalogChange): void;
}

export function servedLanes(index: CatalogIndex): ServedLanes {
  const sets = new Map<string, LaneSet>();
  const served = new Map<string, LaneSet>();

  function shared(lanes: readonly Lane[]): LaneSet {
    const text = lanes.map((lane) => lane.id).join();
    const known = sets.get(text);
    if (known !== undefined) return known;
    const limited = lanes.filter((lane) => lane.maxRunning !== null).map((lane) => lane.id);
    const set = { lanes: lanes.map((lane) => lane.id), limited };
    sets.set(text, set);
    return set;
  }

  return {
    of(id) {
      const known = served.get(id);
      if (known !== undefined) return known;
      const worker = index.worker(id);
      if (worker === undefined) return noLanes;
      const set = shared(lanesServedBy(worker, index));
      served.set(id, set);
      return set;
    },
    forget(change) {
      for (const worker of change.workers) served.delete(worker.id);
      if (change.jobs.length + change.lanes.length + change.pauses.length === 0) return;
      served.clear();
      sets.clear();
    },
  };
}

function lanesServedBy(worker: WorkerRecord, index: CatalogIndex): Lane[] {
  if (index.pause("worker", worker.id) !== undefined) return [];
  const gate = { ...worker, queues: worker.queues === null ? null : new Set(worker.queues) };
  const names = worker.profile === "push" ? pushJobs(index) : [...worker.jobs.keys()];
  const lanes = names.flatMap((name) => index.lanesOfJob(name)).map((id) => index.lane(id) as Lane);
  const open = lanes.filter((lane) => {
    const job = index.job(lane.job);
    if (job === undefined || isPaused(lane, index)) return false;
    // A target is not to be overrun, so nothing is sent before its limit stands.
    if (worker.profile === "push" && lane.maxRunning === null) return false;
    return mayServe(gate, lane, { checksum: job.checksum, deleted: job.deleted, push: job.spec.push !== null });
  });
  return open.sort((a, b) => a.id - b.id);
}

function pushJobs(index: CatalogIndex): string[] {
  return [...index.jobs()].filter(({ spec }) => spec.push !== null).map(({ name }) => name);
}

/** Somebody has paused it, its job or its queue. */
export function isPaused({ job, queue, paused }: Lane, index: Pick<CatalogIndex, "pause">): boolean {
  return paused || index.pause("job", job) !== undefined || index.pause("queue", queue) !== undefined;
}
