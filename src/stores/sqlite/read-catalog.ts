// Jobs, lanes and workers, as rows and as records.

import type { DatabaseSync } from "node:sqlite";
import type { Labels } from "../../core/lane.ts";
import type { ProfileName, ToldState } from "../../core/liveness.ts";
import { ordersOf } from "../../core/orders.ts";
import type { Policy } from "../../core/policy.ts";
import type { JobRecord, JobSource, Lane, WorkerRecord } from "../../ports/records.ts";
import type { Catalog } from "../../ports/store-reads.ts";
import { pauseReader } from "./pauses.ts";
import { query } from "./statement.ts";

const jobColumns = `
  name, id, room, schema, output, queue, labels, policy, push, checksum, checksum_at, source, deleted, created_at,
  revision`;

const selectJob = `
  select ${jobColumns}
  from job
  where name = ?`;

// The signs before the orders keep SQLite from walking everything to save the sorting of a few.
const selectJobs = `
  select ${jobColumns}
  from job
  where catalog > ?
  order by +name`;

export const laneColumns = "id, job, queue, labels, checksum, paused, max_running";

const selectLanes = `
  select ${laneColumns}
  from lane
  where catalog > ?
  order by +id`;

const workerColumns = `
  w.id, w.profile, w.owner, w.name, w.hostname, w.os, w.about, w.queues, w.labels, w.paused, w.draining, w.created_at,
  s.seen_at, s.unreachable_ms, s.lost_ms, s.lost_at, s.removed_at, s.told, s.status, w.orders`;

const selectWorker = `
  select ${workerColumns}
  from worker w
  join session s on s.worker = w.id
  where w.id = ?`;

// Those that were removed are told only to those who may still know them.
const selectWorkers = `
  select ${workerColumns}
  from worker w
  join session s on s.worker = w.id
  where w.catalog > ? and (? > 0 or s.removed_at is null)
  order by +w.id`;

const selectWorkerJobs = `
  select job, checksum
  from worker_job
  where worker = ?`;

const selectRevision = `
  select catalog
  from meta`;

type Text = string | null;
type Whole = number | null;

type JobValues = [
  ...[name: string, id: string, room: string, schema: string, output: Text, queue: Text, labels: Text],
  ...[policy: Text, push: Text],
  ...[checksum: string, checksumAt: number, source: JobSource, deleted: number, createdAt: number, revision: number],
];

export type LaneValues = [number, string, string, string, string, number, Whole];

type WorkerValues = [
  ...[id: string, profile: ProfileName, owner: Text, name: Text, hostname: Text, os: Text, about: Text, queues: Text],
  ...[labels: string, paused: number, draining: number, createdAt: number],
  ...[seenAt: number, unreachableMs: Whole, lostMs: number, lostAt: Whole, removedAt: Whole],
  ...[told: ToldState, status: Text, orders: Text],
];

export function catalogReader(db: DatabaseSync): (after: number) => Catalog {
  const revision = query<[number]>(db, selectRevision);
  const jobs = query<JobValues>(db, selectJobs);
  const lanes = query<LaneValues>(db, selectLanes);
  const workers = query<WorkerValues>(db, selectWorkers);
  const links = linkReader(db);
  const pauses = pauseReader(db);

  return (after) => ({
    revision: revision.get()?.[0] ?? 0,
    jobs: jobs.all(after).map(jobOf),
    lanes: lanes.all(after).map(laneOf),
    workers: workers.all(after, after).map((values) => workerOf(values, links(values[0]))),
    pauses: pauses(after),
  });
}

export function jobReader(db: DatabaseSync): (name: string) => JobRecord | undefined {
  const select = query<JobValues>(db, selectJob);
  return (name) => {
    const values = select.get(name);
    return values === undefined ? undefined : jobOf(values);
  };
}

export function workerReader(db: DatabaseSync): (id: string) => WorkerRecord | undefined {
  const select = query<WorkerValues>(db, selectWorker);
  const links = linkReader(db);
  return (id) => {
    const values = select.get(id);
    return values === undefined ? undefined : workerOf(values, links(id));
  };
}

function linkReader(db: DatabaseSync): (worker: string) => Map<string, string | null> {
  const select = query<[string, Text]>(db, selectWorkerJobs);
  return (worker) => new Map(select.all(worker));
}

function jobOf(values: JobValues): JobRecord {
  const [name, id, room, schema, output, queue, labels, policy, push, checksum, checksumAt, ...rest] = values;
  const [source, deleted, createdAt, revision] = rest;
  const said = policy === null ? null : (JSON.parse(policy) as Policy);
  const asked = labels === null ? null : (JSON.parse(labels) as Labels);
  const spec = { schema, output, queue, labels: asked, policy: said, push };
  return { name, id, room, spec, checksum, checksumAt, source, deleted: deleted === 1, createdAt, revision };
}

export function laneOf([id, job, queue, labels, checksum, paused, maxRunning]: LaneValues): Lane {
  return { id, job, queue, labels: JSON.parse(labels) as Labels, checksum, paused: paused === 1, maxRunning };
}

function workerOf(values: WorkerValues, jobs: ReadonlyMap<string, string | null>): WorkerRecord {
  const [id, profile, owner, name, hostname, os, about, queues, labels, paused, draining, createdAt] = values;
  return {
    ...{ id, profile, owner, name, hostname, os, about, jobs, createdAt },
    queues: queues === null ? null : (JSON.parse(queues) as string[]),
    labels: JSON.parse(labels) as Labels,
    paused: paused === 1,
    draining: draining === 1,
    orders: ordersOf(values[19]),
    session: {
      seenAt: values[12],
      unreachableMs: values[13],
      lostMs: values[14],
      lostAt: values[15],
      removedAt: values[16],
      told: values[17],
    },
    status: values[18],
  };
}
