// Changes of jobs, lanes, workers and pauses. Each row is stamped with the revision of the catalog that wrote it.

import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { laneText } from "../../core/lane.ts";
import { ordersText } from "../../core/orders.ts";
import type { JobRecord, Lane, LaneKey, WorkerRecord } from "../../ports/records.ts";
import type { Amendment } from "../../ports/store.ts";
import { pauseWriter } from "./pauses.ts";
import { type LaneValues, laneColumns, laneOf } from "./read-catalog.ts";
import { change, query } from "./statement.ts";

const raiseRevision = `
  update meta
  set catalog = catalog + 1
  returning catalog`;

const upsertJob = `
  insert or replace into job (name, id, room, schema, output, queue, labels, policy, push, checksum, checksum_at, source,
    deleted, created_at, revision, catalog)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const insertSpec = `
  insert into spec (job, checksum, at, content)
  values (?, ?, ?, ?)
  on conflict do nothing`;

const selectLane = `
  select ${laneColumns}
  from lane
  where key = ?`;

const insertLane = `
  insert into lane (key, job, queue, labels, checksum, paused, max_running, catalog)
  values (?, ?, ?, ?, ?, 0, null, ?)
  on conflict do nothing`;

const updateLane = `
  update lane
  set paused = ?, max_running = ?, catalog = ?
  where id = ?`;

const upsertWorker = `
  insert or replace into worker (id, profile, owner, name, hostname, os, about, queues, labels, paused, draining,
    created_at, orders, catalog)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const upsertSession = `
  insert or replace into session (worker, seen_at, unreachable_ms, lost_ms, lost_at, removed_at, told, status)
  values (?, ?, ?, ?, ?, ?, ?, ?)`;

const deleteLinks = `
  delete from worker_job
  where worker = ?`;

const insertLink = `
  insert into worker_job (worker, job, checksum)
  values (?, ?, ?)`;

/** Answers the lane that stands for each key asked for. */
export function catalogWriter(db: DatabaseSync): (amendment: Amendment<unknown>) => Lane[] {
  const raise = query<[number]>(db, raiseRevision);
  const writeJob = jobWriter(db);
  const writeWorker = workerWriter(db);
  const addLane = change(db, insertLane);
  const limitLane = change(db, updateLane);
  const writePause = pauseWriter(db);
  const find = laneFinder(db);

  return ({ jobs = [], lanes = [], laneLimits = [], workers = [], pauses = [] }) => {
    const missing = lanes.filter((key) => find(key) === undefined);
    if (jobs.length + missing.length + laneLimits.length + workers.length + pauses.length > 0) {
      const revision = raise.get()?.[0] as number;
      for (const job of jobs) writeJob(job, revision);
      for (const key of missing) {
        addLane(laneText(key), key.job, key.queue, JSON.stringify(key.labels), key.checksum, revision);
      }
      for (const { lane, paused, maxRunning } of laneLimits) {
        assert(limitLane(Number(paused), maxRunning, revision, lane) === 1, "a limit is for a lane that exists");
      }
      for (const worker of workers) writeWorker(worker, revision);
      for (const pause of pauses) writePause(pause, revision);
    }
    return lanes.map((key) => find(key) as Lane);
  };
}

function laneFinder(db: DatabaseSync): (key: LaneKey) => Lane | undefined {
  const select = query<LaneValues>(db, selectLane);
  return (key) => {
    const values = select.get(laneText(key));
    return values === undefined ? undefined : laneOf(values);
  };
}

function jobWriter(db: DatabaseSync): (job: JobRecord, revision: number) => void {
  const upsert = change(db, upsertJob);
  const keepSpec = change(db, insertSpec);
  return ({ name, id, room, spec, checksum, checksumAt, source, deleted, createdAt, revision }, catalog) => {
    const { schema, output, queue, push } = spec;
    const policy = spec.policy === null ? null : JSON.stringify(spec.policy);
    const labels = spec.labels === null ? null : JSON.stringify(spec.labels);
    const written = [name, id, room, schema, output, queue, labels, policy, push, checksum, checksumAt, source];
    upsert(...written, Number(deleted), createdAt, revision, catalog);
    // What a URL is given is no part of a version, and a key that was taken back must not stay behind.
    keepSpec(name, checksum, createdAt, JSON.stringify({ ...spec, push: null }));
  };
}

function workerWriter(db: DatabaseSync): (worker: WorkerRecord, revision: number) => void {
  const upsert = change(db, upsertWorker);
  const upsertSeen = change(db, upsertSession);
  const unlink = change(db, deleteLinks);
  const link = change(db, insertLink);

  return (worker, revision) => {
    const { id, profile, owner, name, hostname, os, about, labels, session } = worker;
    const queues = worker.queues === null ? null : JSON.stringify(worker.queues);
    const flags = [Number(worker.paused), Number(worker.draining)];
    const said = [id, profile, owner, name, hostname, os, about, queues, JSON.stringify(labels)];
    upsert(...said, ...flags, worker.createdAt, ordersText(worker.orders), revision);
    const { seenAt, unreachableMs, lostMs, lostAt, removedAt, told } = session;
    upsertSeen(id, seenAt, unreachableMs, lostMs, lostAt, removedAt, told, worker.status);
    unlink(id);
    for (const [job, checksum] of worker.jobs) link(id, job, checksum);
  };
}
