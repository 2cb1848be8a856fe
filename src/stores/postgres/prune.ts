import type { ClientBase } from "pg";
import { uuid7Floor } from "../../core/uuid7.ts";
import type { PruneSlice } from "../../ports/store.ts";
import { plainArray, sortedIds } from "./arrays.ts";
import { writeAudit } from "./audit.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { messageOf } from "./failure.ts";
import { dropMessages } from "./messages.ts";
import { dropSomeMarks, dropWeek, existingWeeks, mayDrop, type Week } from "./partitions.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";
import { deleteSessions } from "./tokens.ts";
import { transact } from "./transact.ts";

const selectNamed: Statement = {
  name: "select_named",
  text: `
    select x.task
    from unnest($1::uuid[]) with ordinality n (id, nth)
    join outcome x on x.task = n.id
    order by n.nth
    limit $2`,
};

const selectFinished: Statement = {
  name: "select_finished",
  text: `
    select x.task
    from outcome x
    where x.task < $1
      and x.finished_at < $2
      and not exists (
        select
        from task t
        join open_task p on p.id = t.parent
        where t.id = x.task
      )
    order by x.task
    limit $3`,
};

const deleteTasks: Statement = {
  name: "delete_tasks",
  text: `
    with
    gone as (
      delete from outcome x
      using unnest($1::uuid[]) n (id)
      where x.task = n.id
      returning x.task
    ),
    cards as (
      delete from task t
      using gone
      where t.id = gone.task
    ),
    history as (
      delete from task_event e
      using gone
      where e.task = gone.task
    ),
    refusals as (
      delete from refusal r
      using gone
      where r.task = gone.task
    ),
    lines as (
      delete from log_line l
      using gone
      where l.task = gone.task
    ),
    marks as (
      delete from message_mark k
      using gone
      where k.task = gone.task
    )
    select count(*)
    from gone`,
};

const deleteKeys: Statement = {
  name: "delete_keys",
  text: `
    with old as materialized (
      select scope, key
      from idempotency
      where at < $1
      order by at, scope, key
      limit $2
      for update skip locked
    ),
    gone as (
      delete from idempotency i
      using old
      where i.scope = old.scope
        and i.key = old.key
      returning 1
    )
    select count(*)
    from gone`,
};

const deleteWorkerEvents: Statement = {
  name: "delete_worker_events",
  text: `
    with old as materialized (
      select number
      from worker_event
      where at < $1
      order by number
      limit $2
      for update skip locked
    ),
    gone as (
      delete from worker_event e
      using old
      where e.number = old.number
      returning 1
    )
    select count(*)
    from gone`,
};

// By id, which is by age, as with tasks: neither table has an index on its time.
const auditDeletions: readonly Statement[] = ["audit", "worker_command"].map((table) => ({
  name: `delete_${table}`,
  text: `
    with old as materialized (
      select id
      from ${table}
      where id < $1
        and at < $2
      order by id
      limit $3
      for update skip locked
    ),
    gone as (
      delete from ${table} e
      using old
      where e.id = old.id
      returning 1
    )
    select count(*)
    from gone`,
}));

const deleteWorkers: Statement = {
  name: "delete_workers",
  text: `
    with old as materialized (
      select s.worker
      from session s
      where s.removed_at < $1
        and not exists (select from open_task o where o.worker = s.worker)
      order by s.worker
      limit $2
      for update skip locked
    ),
    sessions as (
      delete from session s
      using old
      where s.worker = old.worker
      returning s.worker
    ),
    records as (
      delete from worker w
      using sessions s
      where w.id = s.worker
    ),
    links as (
      delete from worker_job k
      using sessions s
      where k.worker = s.worker
    )
    select count(*)
    from sessions`,
};

export async function prune(database: Database, slice: PruneSlice): Promise<number> {
  const dropped = slice.finishedBefore === null ? 0 : await dropWeeks(database, slice.finishedBefore);
  const gone = dropped + (await transact(database, (client) => pruneSlice(client, slice)));
  // That is a walk through all of them, so it is left to the last of many slices.
  if (slice.tasks.length === 0 && gone < slice.limit) await dropMessages(database);
  return gone;
}

async function pruneSlice(client: ClientBase, slice: PruneSlice): Promise<number> {
  const {
    tasks,
    audit = [],
    finishedBefore,
    keysBefore,
    workerEventsBefore,
    auditBefore,
    workersBefore,
    sessionsBefore,
    limit,
  } = slice;
  let gone = 0;
  if (tasks.length > 0) gone += await pruneTasks(client, selectNamed, [plainArray(sortedIds(tasks)), limit]);
  if (gone > 0 && audit.length > 0) await writeAudit(client, audit);
  if (finishedBefore !== null) {
    // A task is made before it ends, so later ids need not be looked at; ids may run ahead of the clock a little.
    const bound = uuid7Floor(Math.max(0, finishedBefore + aheadMs));
    gone += await pruneTasks(client, selectFinished, [bound, finishedBefore, limit]);
  }
  gone += await count(client, deleteKeys, [keysBefore, limit]);
  if (workerEventsBefore !== null) gone += await count(client, deleteWorkerEvents, [workerEventsBefore, limit]);
  if (auditBefore !== null) {
    const bound = uuid7Floor(Math.max(0, auditBefore + aheadMs));
    for (const statement of auditDeletions) gone += await count(client, statement, [bound, auditBefore, limit]);
  }
  if (workersBefore !== null) gone += await count(client, deleteWorkers, [workersBefore, limit]);
  if (sessionsBefore !== null) gone += await count(client, deleteSessions, [sessionsBefore, limit]);
  return gone;
}

const aheadMs = 1_000;

async function pruneTasks(client: ClientBase, which: Statement, values: (string | number)[]): Promise<number> {
  const ids = await ask<[string]>(client, which, values);
  return ids.length === 0 ? 0 : count(client, deleteTasks, [plainArray(ids.map(([id]) => id))]);
}

async function count(client: ClientBase, statement: Statement, values: (string | number)[]): Promise<number> {
  const [row] = await ask<[number]>(client, statement, values);
  return row?.[0] as number;
}

/** Old weeks go whole where that can be. Whether they can is a long question, so it is not put under any lock. */
async function dropWeeks(database: Database, finishedBefore: number): Promise<number> {
  const old = await patiently(database, () => lend(database.readers, (client) => weeksToDrop(client, finishedBefore)));
  let gone = 0;
  for (const week of old) gone += await tryToDrop(database, week);
  return gone;
}

async function weeksToDrop(client: ClientBase, finishedBefore: number): Promise<Week[]> {
  const old: Week[] = [];
  for (const week of await existingWeeks(client)) if (await mayDrop(client, week, finishedBefore)) old.push(week);
  return old;
}

async function tryToDrop(database: Database, week: Week): Promise<number> {
  try {
    // Before everybody is locked out for a moment.
    while (await transact(database, (client) => dropSomeMarks(client, week)));
    const tasks = await transact(database, (client) => dropWeek(client, week));
    database.log.info("Dropped a week of history", { week: week.name, tasks });
    return tasks;
  } catch (error) {
    database.log.info("An old week of history stays for now", { week: week.name, error: messageOf(error) });
    return 0;
  }
}
