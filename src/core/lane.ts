// A lane is a row of tasks that the same workers may serve: one per job, queue, label selector and required checksum.
// Claims ask for lanes, so a worker with many jobs costs one short index walk for each, not a scan.

import type { ProfileName } from "./liveness.ts";
import { isInternal } from "./name.ts";

export type Labels = Readonly<Record<string, string>>;

export const lanesMax = 10_000;
export const labelsMax = 16;
export const priorityMax = 1_000_000;

/** What makes two tasks travel in the same lane. An empty checksum asks for the job's status quo. */
export interface LaneKey {
  readonly job: string;
  readonly queue: string;
  readonly labels: Labels;
  readonly checksum: string;
}

export interface Lane extends LaneKey {
  readonly id: number;
  readonly paused: boolean;
  readonly maxRunning: number | null;
}

/** Job definitions as eligibility sees them. */
export interface JobGate {
  readonly checksum: string;
  readonly deleted: boolean;
  readonly push: boolean;
}

export interface WorkerGate {
  readonly profile: ProfileName;
  /** Job name to the checksum the worker announced; null trusts the worker with any. */
  readonly jobs: ReadonlyMap<string, string | null>;
  /** Null: every queue. */
  readonly queues: ReadonlySet<string> | null;
  readonly labels: Labels;
  readonly paused: boolean;
  readonly draining: boolean;
}

export function laneText(key: LaneKey): string {
  const labels = Object.entries(key.labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return JSON.stringify([key.job, key.queue, labels, key.checksum]);
}

/** Lower ranks go first. */
export function rankOf(priority: number): number {
  return priority === 0 ? 0 : -priority;
}

/** Whether the worker may be given tasks of this lane. */
export function mayServe(worker: WorkerGate, lane: LaneKey, job: JobGate): boolean {
  return unfitness(worker, lane, job) === null;
}

/** What keeps a worker from tasks of a lane. */
export type Unfitness = "push" | "job" | "internal" | "checksum" | "draining" | "paused" | "queue" | "labels";

/**
 * Why the worker may not be given tasks of this lane; null where it may. Jobs of @internal are for the servers' own
 * executors and for nobody else, and these do nothing else; so it is with push jobs and the worker that sends them. A
 * paused lane is the dispatcher's business, not the worker's.
 */
export function unfitness(worker: WorkerGate, lane: LaneKey, job: JobGate): Unfitness | null {
  // They need no link to what they send.
  if (job.push && worker.profile === "push") return worker.draining ? "draining" : worker.paused ? "paused" : null;
  if (job.push || worker.profile === "push") return "push";
  if (!worker.jobs.has(lane.job)) return "job";
  if (isInternal(lane.job) !== (worker.profile === "internal")) return "internal";
  const announced = worker.jobs.get(lane.job) as string | null;
  const required = lane.checksum === "" ? job.checksum : lane.checksum;
  if (announced !== null && announced !== required) return "checksum";
  if (worker.draining) return "draining";
  if (worker.paused) return "paused";
  if (worker.queues !== null && !worker.queues.has(lane.queue)) return "queue";
  return Object.entries(lane.labels).every(([key, value]) => worker.labels[key] === value) ? null : "labels";
}

/** What a task of this job asks of workers: the job's labels and its own. Null where the two contradict each other. */
export function askedLabels(jobs: Labels | null, own: Labels | undefined): Labels | null {
  if (jobs === null) return own ?? {};
  const contradicts = Object.entries(own ?? {}).some(([key, value]) => Object.hasOwn(jobs, key) && jobs[key] !== value);
  return contradicts ? null : { ...jobs, ...own };
}

export const defaultQueue = "default";
