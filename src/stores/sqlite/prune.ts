import type { DatabaseSync } from "node:sqlite";
import { uuid7Floor } from "../../core/uuid7.ts";
import type { PruneSlice } from "../../ports/store.ts";
import { auditWriter } from "./audit.ts";
import { change, query } from "./statement.ts";

const selectOutcome = `
  select 1
  from outcome
  where task = ?`;

// Walks by id, which is by age, so that the time a task ended at needs no index of its own.
const selectFinished = `
  select r.task
  from outcome r
  where r.task < ? and r.finished_at < ? and not exists (
    select 1
    from task t
    join open_task p on p.id = t.parent
    where t.id = r.task
  )
  order by r.task
  limit +?`;

/** Each with the task's id as its parameter. */
const deletions = [
  "delete from task where id = ?",
  "delete from outcome where task = ?",
  "delete from task_event where task = ?",
  "delete from refusal where task = ?",
  "delete from log_line where task = ?",
  "delete from message_mark where task = ?",
] as const;

/** How many marks of a coordinator go at once: each request that counted may have left one. */
const marksAtOnce = 2_000;

const deleteSomeMarks = `
  delete from message_mark
  where (task, chunk) in (select task, chunk from message_mark where task = ? limit +?)`;

const selectMark = `
  select 1
  from message_mark
  where task = ?
  limit 1`;

const deleteKeys = `
  delete from idempotency
  where (scope, key) in (select scope, key from idempotency where at < ? order by at limit +?)`;

const deleteWorkerEvents = `
  delete from worker_event
  where id in (select id from worker_event where at < ? order by at, id limit +?)`;

// By id, which is by age, as with tasks: neither table has an index on its time.
export const auditDeletions = ["audit", "worker_command"].map(
  (table) => `
  delete from ${table}
  where id in (select id from ${table} where id < ? and at < ? order by id limit +?)`,
);

const deleteSessions = `
  delete from token
  where id in (select id from token where kind <> 'api' and expires_at < ? order by expires_at limit +?)`;

const selectTombstones = `
  select worker
  from session s
  where removed_at is not null and removed_at < ? and not exists (
    select 1
    from open_task o
    where o.worker = s.worker
  )
  order by worker
  limit +?`;

const workerDeletions = [
  "delete from worker where id = ?",
  "delete from session where worker = ?",
  "delete from worker_job where worker = ?",
] as const;

/** Nothing ends, or is written, before it was made. Ids made in a burst may be ahead of their time by this much. */
const aheadMs = 1_000;

export function prune(db: DatabaseSync): (slice: PruneSlice) => number {
  const ended = query<[number]>(db, selectOutcome);
  const finished = query<[string]>(db, selectFinished);
  const removeTask = remover(db, deletions);
  const removeMarks = change(db, deleteSomeMarks);
  const marked = query<[string]>(db, selectMark);
  const removeKeys = change(db, deleteKeys);
  const removeWorkerEvents = change(db, deleteWorkerEvents);
  const writeEntry = auditWriter(db);
  const removeAudit = auditDeletions.map((sql) => change(db, sql));
  const tombstones = query<[string]>(db, selectTombstones);
  const removeWorker = remover(db, workerDeletions);
  const removeSessions = change(db, deleteSessions);

  /** Those whose marks have gone, or that had none. The others follow: what is too much at once would hold up everybody. */
  function withoutMarks(ids: readonly string[]): readonly string[] {
    let left = marksAtOnce;
    return ids.filter((id) => {
      if (left === 0) return marked.get(id) === undefined;
      left -= removeMarks(id, left);
      return left > 0;
    });
  }

  return ({ tasks, audit = [], finishedBefore, keysBefore, workerEventsBefore, auditBefore, limit, ...slice }) => {
    const { workersBefore, sessionsBefore } = slice;
    const named = [...new Set(tasks)].sort().filter((id) => ended.get(id) !== undefined);
    let count = removeTask(named.slice(0, limit));
    if (count > 0) for (const entry of audit) writeEntry(entry);
    if (finishedBefore !== null) {
      const old = finished.all(uuid7Floor(finishedBefore + aheadMs), finishedBefore, limit).map(([id]) => id);
      const ready = withoutMarks(old);
      count += removeTask(ready);
      // Whoever asks goes on while slices are full.
      if (ready.length < old.length) count = Math.max(count, limit);
    }
    count += removeKeys(keysBefore, limit);
    if (workerEventsBefore !== null) count += removeWorkerEvents(workerEventsBefore, limit);
    if (auditBefore !== null) {
      const bound = uuid7Floor(Math.max(0, auditBefore + aheadMs));
      for (const remove of removeAudit) count += remove(bound, auditBefore, limit);
    }
    if (workersBefore !== null) count += removeWorker(tombstones.all(workersBefore, limit).map(([id]) => id));
    if (sessionsBefore !== null) count += removeSessions(sessionsBefore, limit);
    return count;
  };
}

/** Runs every deletion for each id; answers how many ids there were. */
function remover(db: DatabaseSync, statements: readonly string[]): (ids: readonly string[]) => number {
  const changes = statements.map((sql) => change(db, sql));
  return (ids) => {
    for (const id of ids) for (const remove of changes) remove(id);
    return ids.length;
  };
}
