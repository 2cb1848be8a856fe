// Whether anybody can run what waits, and if not, why, in one sentence. By the catalog alone: it costs no question to the
// database, and is as fresh as the catalog.

import { defaultQueue, type Lane, type LaneKey, type Unfitness, unfitness } from "../core/lane.ts";
import { isGivenUp } from "../core/liveness.ts";
import type { JobRecord, WorkerRecord } from "../ports/records.ts";
import type { Catalog } from "./catalog.ts";

export interface Runnables {
  /** Null where somebody can run the tasks of this lane. */
  whyNotLane(lane: Lane): string | null;
  /** Null where somebody can run a task that asks for nothing special. */
  whyNotJob(job: JobRecord): string | null;
  /** The workers that announced the job and were not given up. */
  workersOf(job: string): readonly WorkerRecord[];
}

export function runnables(catalog: Pick<Catalog, "job" | "worker" | "workersOfJob" | "pause">): Runnables {
  function workersOf(job: string): readonly WorkerRecord[] {
    return catalog.workersOfJob(job).flatMap((id) => {
      const worker = catalog.worker(id);
      return worker === undefined || isGivenUp(worker.session) ? [] : [worker];
    });
  }

  function whyNot(lane: LaneKey, job: JobRecord): string | null {
    const gate = { checksum: job.checksum, deleted: job.deleted, push: job.spec.push !== null };
    if (gate.push) return "the job is pushed to an address, and given to no worker";
    const unfit = new Map<Unfitness, WorkerRecord[]>();
    for (const worker of workersOf(lane.job)) {
      const queues = worker.queues === null ? null : new Set(worker.queues);
      const paused = worker.paused || catalog.pause("worker", worker.id) !== undefined;
      const why = unfitness({ ...worker, queues, paused }, lane, gate);
      if (why === null) return null;
      unfit.set(why, [...(unfit.get(why) ?? []), worker]);
    }
    return unfit.size === 0 ? "no worker serves this job" : told(lane, unfit);
  }

  return {
    workersOf,
    whyNotJob: (job) =>
      whyNot(
        { job: job.name, queue: job.spec.queue ?? defaultQueue, labels: job.spec.labels ?? {}, checksum: "" },
        job,
      ),
    whyNotLane(lane) {
      const job = catalog.job(lane.job);
      if (job === undefined) return "the job is not registered";
      if (catalog.pause("job", lane.job) !== undefined) return "the job is paused";
      if (catalog.pause("queue", lane.queue) !== undefined) return `queue '${lane.queue}' is paused`;
      return lane.paused ? `queue '${lane.queue}' is paused for this job` : whyNot(lane, job);
    },
  };
}

/** In this order; those that lack most come first. */
const order = ["checksum", "draining", "paused", "queue", "labels", "internal"] as const satisfies Unfitness[];

function told(lane: LaneKey, unfit: ReadonlyMap<Unfitness, readonly WorkerRecord[]>): string {
  const parts = order.flatMap((why) => {
    const workers = unfit.get(why);
    return workers === undefined ? [] : [partOf(why, workers, lane, unfit.size === 1)];
  });
  return parts.join("; ");
}

function partOf(why: (typeof order)[number], workers: readonly WorkerRecord[], lane: LaneKey, isAll: boolean): string {
  const many = workers.length === 1 ? "1 worker" : `${workers.length} workers`;
  const are = isAll && workers.length > 1 ? `all ${many} are` : `${many} ${workers.length === 1 ? "is" : "are"}`;
  const verb = (word: string): string => (workers.length === 1 ? `${word}s` : word);
  switch (why) {
    case "checksum":
      return `${many} ${verb("announce")} another checksum: ${checksums(workers, lane.job)}`;
    case "draining":
      return `${are} draining`;
    case "paused":
      return `${are} paused`;
    case "queue":
      return `${many} ${workers.length === 1 ? "does" : "do"} not take queue '${lane.queue}'`;
    case "labels":
      return `${many} ${workers.length === 1 ? "lacks" : "lack"} a label of ${labelText(lane)}`;
    case "internal":
      return `${are} not a server's own`;
  }
}

const listedMax = 3;

function checksums(workers: readonly WorkerRecord[], job: string): string {
  const all = [...new Set(workers.map((worker) => worker.jobs.get(job) ?? ""))];
  const more = all.length > listedMax ? ` and ${all.length - listedMax} more` : "";
  return all.slice(0, listedMax).join(", ") + more;
}

function labelText({ labels }: LaneKey): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(", ");
}
