// Rows of jobs, lanes and workers as records.

import type { Labels } from "../../core/lane.ts";
import type { ProfileName, ToldState } from "../../core/liveness.ts";
import { ordersOf } from "../../core/orders.ts";
import type { Policy } from "../../core/policy.ts";
import type { JobRecord, JobSource, Lane, WorkerRecord } from "../../ports/records.ts";
import { restored } from "./text.ts";

/** Columns of `job j`. */
export const jobColumns = `
      j.name, j.id, j.room, j.schema, j.output, j.queue, j.labels, j.policy, j.push, j.checksum, j.checksum_at,
      j.source, j.deleted, j.created_at, j.revision`;

export type JobTuple = readonly [
  name: string,
  id: string,
  room: string,
  schema: string,
  output: string | null,
  queue: string | null,
  labels: string | null,
  policy: string | null,
  push: string | null,
  checksum: string,
  checksumAt: number,
  source: JobSource,
  deleted: boolean,
  createdAt: number,
  revision: number,
];

export function jobOf(tuple: JobTuple): JobRecord {
  const [name, id, room, schema, output, queue, labels, policy, push, checksum, checksumAt, ...rest] = tuple;
  const [source, deleted, createdAt, revision] = rest;
  const asked = labels === null ? null : (JSON.parse(labels) as Labels);
  const said = policy === null ? null : (JSON.parse(policy) as Policy);
  const spec = { schema, output, queue, labels: asked, policy: said, push };
  return { name, id, room, spec, checksum, checksumAt, source, deleted, createdAt, revision };
}

/** Columns of `lane l`. */
export const laneColumns = `
      l.id, l.job, l.queue, l.labels, l.checksum, l.paused, l.max_running`;

export type LaneTuple = readonly [
  id: number,
  job: string,
  queue: string,
  labels: string,
  checksum: string,
  paused: boolean,
  maxRunning: number | null,
];

export function laneOf([id, job, queue, labels, checksum, paused, maxRunning]: LaneTuple): Lane {
  return { id, job, queue, labels: JSON.parse(labels) as Labels, checksum, paused, maxRunning };
}

/** Columns of `worker w` and its `session s`, with its jobs as JSON. */
export const workerColumns = `
      w.id, w.profile, w.owner, w.name, w.hostname, w.os, w.about, w.queues, w.labels, w.paused, w.draining,
      w.created_at, s.seen_at, s.unreachable_ms, s.lost_ms, s.lost_at, s.removed_at, s.told, s.status, w.orders,
      (select json_agg(json_build_array(k.job, k.checksum) order by k.job) from worker_job k where k.worker = w.id)::text`;

export type WorkerTuple = readonly [
  id: string,
  profile: ProfileName,
  owner: string | null,
  name: string | null,
  hostname: string | null,
  os: string | null,
  about: string | null,
  queues: string | null,
  labels: string,
  paused: boolean,
  draining: boolean,
  createdAt: number,
  seenAt: number,
  unreachableMs: number | null,
  lostMs: number,
  lostAt: number | null,
  removedAt: number | null,
  told: ToldState,
  status: string | null,
  orders: string | null,
  jobs: string | null,
];

export function workerOf(tuple: WorkerTuple): WorkerRecord {
  const [id, profile, owner, name, hostname, os, about, queues, labels, paused, draining, createdAt, ...rest] = tuple;
  const [seenAt, unreachableMs, lostMs, lostAt, removedAt, told, status, orders, jobs] = rest;
  return {
    ...{ id, profile, owner, name, hostname, os, about, paused, draining, createdAt },
    queues: queues === null ? null : (JSON.parse(queues) as string[]),
    labels: JSON.parse(labels) as Labels,
    jobs: jobsOf(jobs),
    orders: ordersOf(orders),
    session: { seenAt, unreachableMs, lostMs, lostAt, removedAt, told },
    status,
  };
}

function jobsOf(text: string | null): Map<string, string | null> {
  const links = text === null ? [] : (JSON.parse(text) as [string, string | null][]);
  return new Map(links.map(([job, checksum]) => [restored(job), checksum === null ? null : restored(checksum)]));
}
