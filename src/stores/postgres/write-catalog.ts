// Changes of jobs, lanes, workers and pauses. Each row is stamped with the revision of the catalog that wrote it; whoever writes
// holds the catalog's lock until the commit, so a reader who sees a revision sees all that belongs to it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { ClientBase } from "pg";
import { laneText } from "../../core/lane.ts";
import { ordersText } from "../../core/orders.ts";
import type { JobRecord, Lane, LaneKey, WorkerRecord } from "../../ports/records.ts";
import type { Amendment } from "../../ports/store.ts";
import { jsonRows, textArray } from "./arrays.ts";
import { type LaneTuple, laneColumns, laneOf } from "./catalog-rows.ts";
import type { Database } from "./database.ts";
import { writePauses } from "./pauses.ts";
import { ask, type Statement } from "./statement.ts";

const lockCatalog: Statement = {
  name: "lock_catalog",
  text: `
    select catalog
    from meta
    for update`,
};

const raiseCatalog: Statement = {
  name: "raise_catalog",
  text: `
    update meta
    set catalog = catalog + 1
    where $1
      or exists (select from lane l where l.digest = any ($2::text[]) and l.catalog > meta.catalog)`,
};

const upsertJobs: Statement = {
  name: "upsert_jobs",
  text: `
    insert into job (
      name, id, room, schema, output, queue, labels, policy, push, checksum, checksum_at, source, deleted, created_at,
      revision, catalog
    )
    select
      r.name, r.id, r.room, r.schema, r.output, r.queue, r.labels, r.policy, r.push, r.checksum, r.checksum_at,
      r.source, r.deleted, r.created_at, r.revision, m.catalog + 1
    from json_to_recordset($1::json) r (
      name text, id text, room text, schema text, output text, queue text, labels text, policy text, push text,
      checksum text, checksum_at bigint, source text, deleted boolean, created_at bigint, revision bigint
    )
    cross join meta m
    on conflict (name) do update
    set
      id = excluded.id,
      room = excluded.room,
      schema = excluded.schema,
      output = excluded.output,
      queue = excluded.queue,
      labels = excluded.labels,
      policy = excluded.policy,
      push = excluded.push,
      checksum = excluded.checksum,
      checksum_at = excluded.checksum_at,
      source = excluded.source,
      deleted = excluded.deleted,
      created_at = excluded.created_at,
      revision = excluded.revision,
      catalog = excluded.catalog`,
};

const insertSpecs: Statement = {
  name: "insert_specs",
  text: `
    insert into spec (job, checksum, at, content)
    select job, checksum, $2, content
    from json_to_recordset($1::json) r (job text, checksum text, content text)
    on conflict do nothing`,
};

const insertLanes: Statement = {
  name: "insert_lanes",
  text: `
    insert into lane (id, job, queue, labels, checksum, digest, paused, max_running, catalog)
    select
      (select coalesce(max(id), 0) from lane) + row_number() over (order by r.nth),
      r.job, r.queue, r.labels, r.checksum, r.digest, false, null, m.catalog + 1
    from json_to_recordset($1::json) r (
      nth integer, job text, queue text, labels text, checksum text, digest text
    )
    cross join meta m
    where not exists (select from lane l where l.digest = r.digest)`,
};

const updateLanes: Statement = {
  name: "update_lanes",
  text: `
    update lane l
    set paused = r.paused, max_running = r.max_running, catalog = m.catalog + 1
    from json_to_recordset($1::json) r (lane integer, paused boolean, max_running integer)
    cross join meta m
    where l.id = r.lane
    returning l.id`,
};

const selectLanes: Statement = {
  name: "select_lanes",
  text: `
    select ${laneColumns}
    from unnest($1::text[]) with ordinality n (digest, nth)
    join lane l on l.digest = n.digest
    order by n.nth`,
};

const upsertWorkers: Statement = {
  name: "upsert_workers",
  text: `
    insert into worker (
      id, profile, owner, name, hostname, os, about, queues, labels, paused, draining, created_at, orders, catalog
    )
    select
      r.id, r.profile, r.owner, r.name, r.hostname, r.os, r.about, r.queues, r.labels, r.paused, r.draining,
      r.created_at, r.orders, m.catalog + 1
    from json_to_recordset($1::json) r (
      id text, profile text, owner text, name text, hostname text, os text, about text, queues text, labels text,
      paused boolean, draining boolean, created_at bigint, orders text
    )
    cross join meta m
    on conflict (id) do update
    set
      profile = excluded.profile,
      owner = excluded.owner,
      name = excluded.name,
      hostname = excluded.hostname,
      os = excluded.os,
      about = excluded.about,
      queues = excluded.queues,
      labels = excluded.labels,
      paused = excluded.paused,
      draining = excluded.draining,
      orders = excluded.orders,
      created_at = excluded.created_at,
      catalog = excluded.catalog`,
};

const upsertSessions: Statement = {
  name: "upsert_sessions",
  text: `
    insert into session (worker, seen_at, unreachable_ms, lost_ms, lost_at, removed_at, told, status)
    select worker, seen_at, unreachable_ms, lost_ms, lost_at, removed_at, told, status
    from json_to_recordset($1::json) r (
      worker text, seen_at bigint, unreachable_ms bigint, lost_ms bigint, lost_at bigint, removed_at bigint, told text,
      status text
    )
    on conflict (worker) do update
    set
      seen_at = excluded.seen_at,
      unreachable_ms = excluded.unreachable_ms,
      lost_ms = excluded.lost_ms,
      lost_at = excluded.lost_at,
      removed_at = excluded.removed_at,
      told = excluded.told,
      status = excluded.status`,
};

const deleteLinks: Statement = {
  name: "delete_links",
  text: `
    delete from worker_job
    where worker = any ($1::text[])`,
};

const insertLinks: Statement = {
  name: "insert_links",
  text: `
    insert into worker_job (worker, job, checksum)
    select worker, job, checksum
    from json_to_recordset($1::json) r (worker text, job text, checksum text)`,
};

/** Answers the lane that stands for each key asked for. Everything is sent at once and runs in this order. */
export async function writeCatalog(
  database: Database,
  client: ClientBase,
  { jobs = [], lanes = [], laneLimits = [], workers = [], pauses = [] }: Amendment<unknown>,
): Promise<Lane[]> {
  const changes = jobs.length + laneLimits.length + workers.length + pauses.length > 0;
  if (!changes && lanes.length === 0) return [];
  const digests = textArray(lanes.map(digestOf));
  const [, , , , , , rows] = await Promise.all([
    ask(client, lockCatalog),
    jobs.length > 0 ? writeJobs(database, client, jobs) : null,
    workers.length > 0 ? writeWorkers(client, workers) : null,
    writeLanes(client, lanes, laneLimits),
    pauses.length > 0 ? writePauses(client, pauses) : null,
    ask(client, raiseCatalog, [changes, digests]),
    ask<LaneTuple>(client, selectLanes, [digests]),
  ]);
  return rows.map(laneOf);
}

function digestOf(key: LaneKey): string {
  return createHash("sha256").update(laneText(key), "utf8").digest("hex");
}

async function writeJobs(database: Database, client: ClientBase, jobs: readonly JobRecord[]): Promise<void> {
  const last = [...new Map(jobs.map((job) => [job.name, job])).values()];
  const rows = last.map(({ name, id, room, spec, checksum, checksumAt, source, deleted, createdAt, revision }) => ({
    ...{ name, id, room, schema: spec.schema, output: spec.output, queue: spec.queue, push: spec.push },
    ...{ labels: textOf(spec.labels), policy: textOf(spec.policy) },
    ...{ checksum, checksum_at: checksumAt, source, deleted, created_at: createdAt, revision },
  }));
  // What a URL is given is no part of a version, and a key that was taken back must not stay behind.
  const kept = jobs.map(({ name, checksum, spec }) => ({ job: name, checksum, spec: { ...spec, push: null } }));
  const specs = kept.map(({ job, checksum, spec }) => ({ job, checksum, content: JSON.stringify(spec) }));
  await Promise.all([
    ask(client, upsertJobs, [jsonRows(rows)]),
    ask(client, insertSpecs, [jsonRows(specs), database.clock.now()]),
  ]);
}

function textOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

async function writeLanes(
  client: ClientBase,
  keys: readonly LaneKey[],
  limits: NonNullable<Amendment<unknown>["laneLimits"]>,
): Promise<void> {
  const distinct = [...new Map(keys.map((key) => [digestOf(key), key]))];
  const rows = distinct.map(([digest, { job, queue, labels, checksum }], nth) => {
    return { nth, job, queue, labels: JSON.stringify(labels), checksum, digest };
  });
  const last = [...new Map(limits.map((limit) => [limit.lane, limit])).values()];
  const changed = last.map(({ lane, paused, maxRunning }) => ({ lane, paused, max_running: maxRunning }));
  const [, limited] = await Promise.all([
    ask(client, insertLanes, [jsonRows(rows)]),
    ask(client, updateLanes, [jsonRows(changed)]),
  ]);
  assert(limited.length === changed.length, "a limit is for a lane that exists");
}

async function writeWorkers(client: ClientBase, workers: readonly WorkerRecord[]): Promise<void> {
  const last = [...new Map(workers.map((worker) => [worker.id, worker])).values()];
  const rows = last.map(({ queues, labels, orders, createdAt, jobs: _j, session: _s, status: _t, ...said }) => ({
    ...said,
    ...{ queues: queues === null ? null : JSON.stringify(queues), labels: JSON.stringify(labels) },
    ...{ created_at: createdAt, orders: ordersText(orders) },
  }));
  const sessions = last.map(({ id, session, status }) => ({
    ...{
      worker: id,
      status,
      told: session.told,
      seen_at: session.seenAt,
      unreachable_ms: session.unreachableMs,
      lost_ms: session.lostMs,
    },
    ...{ lost_at: session.lostAt, removed_at: session.removedAt },
  }));
  const links = last.flatMap(({ id, jobs }) => [...jobs].map(([job, checksum]) => ({ worker: id, job, checksum })));
  await Promise.all([
    ask(client, upsertWorkers, [jsonRows(rows)]),
    ask(client, upsertSessions, [jsonRows(sessions)]),
    ask(client, deleteLinks, [textArray(last.map(({ id }) => id))]),
    ask(client, insertLinks, [jsonRows(links)]),
  ]);
}
