import type { ClientBase } from "pg";
import type { IdempotencyKey, WorkerEvent, WorkerRecord } from "../../ports/records.ts";
import {
  type Catalog,
  holdingsMax,
  type LaneDepth,
  type Reads,
  roomDepthsMax,
  totalMax,
  workDoneMax,
} from "../../ports/store-reads.ts";
import { plainArray, sortedTexts, textArray } from "./arrays.ts";
import {
  type JobTuple,
  jobColumns,
  jobOf,
  type LaneTuple,
  laneColumns,
  laneOf,
  type WorkerTuple,
  workerColumns,
  workerOf,
} from "./catalog-rows.ts";
import { readPauses } from "./pauses.ts";
import { ask, type Statement, unprepared } from "./statement.ts";
import { totalOf } from "./task-list.ts";
import { storable } from "./text.ts";

const selectRevision: Statement = {
  name: "select_revision",
  text: `
    select catalog
    from meta`,
};

// Found first and sorted afterwards: keyed connections avoid sorting, and would walk through all there ever were.
const selectJobs: Statement = unprepared(`
    with changed as materialized (
      select name
      from job
      where catalog > $1
    )
    select ${jobColumns}
    from changed c
    join job j on j.name = c.name
    order by j.name`);

const selectLanes: Statement = unprepared(`
    with changed as materialized (
      select id
      from lane
      where catalog > $1
    )
    select ${laneColumns}
    from changed c
    join lane l on l.id = c.id
    order by l.id`);

const selectWorkers: Statement = unprepared(`
    with changed as materialized (
      select id
      from worker
      where catalog > $1
    )
    select ${workerColumns}
    from changed c
    join worker w on w.id = c.id
    join session s on s.worker = w.id
    where $1 > 0
      or s.removed_at is null
    order by w.id`);

const selectWorkersById: Statement = {
  name: "select_workers_by_id",
  text: `
    select ${workerColumns}
    from unnest($1::text[]) with ordinality n (id, nth)
    join worker w on w.id = n.id
    join session s on s.worker = w.id
    order by n.nth`,
};

const selectWorkerEvents: Statement = {
  name: "select_worker_events",
  text: `
    select at, type, data
    from worker_event
    where worker = $1
    order by number
    limit $2
    offset $3`,
};

const countWorkerEvents: Statement = {
  name: "count_worker_events",
  text: `
    select count(*)
    from (select from worker_event where worker = $1 limit $2) found`,
};

const countHeld: Statement = {
  name: "count_holdings",
  text: `
    select n.worker, count(*)
    from unnest($1::text[]) n (worker)
    cross join lateral (select from open_task o where o.worker = n.worker limit $2) o
    group by n.worker`,
};

const countDone: Statement = {
  name: "count_work_done",
  text: `
    select t.lane, count(*)
    from (select task, state from outcome where worker = $1 order by task desc limit $2) x
    join task t on t.id = x.task
    where x.state = 'completed'
    group by t.lane`,
};
const depthColumns = `
      o.lane,
      count(*) filter (where o.state = 'pending' and o.run_at is null),
      count(*) filter (where o.run_at is not null),
      count(*) filter (where o.worker is not null),
      count(*) filter (where o.state = 'running' and o.worker is null),
      min(o.id::text collate "C") filter (where o.state = 'pending' and o.run_at is null)`;

const selectDepths: Statement = unprepared(`
    select ${depthColumns}
    from open_task o
    group by o.lane
    order by o.lane`);

const selectRoomDepths: Statement = unprepared(`
    select ${depthColumns}
    from (
      select id, lane, state, run_at, worker
      from open_task
      where lane = any ($1::integer[])
      limit $3
    ) o
    join task t on t.id = o.id
    where t.room = any ($2::text[])
    group by o.lane
    order by o.lane`);

const selectKey: Statement = {
  name: "select_key",
  text: `
    select body_hash, answer, at
    from idempotency
    where scope = $1
      and key = $2`,
};

/** The revision first: rows written after it may be told already, and will be told again. */
export async function readCatalog(client: ClientBase, after: number): Promise<Catalog> {
  const [revision, jobs, lanes, workers, pauses] = await Promise.all([
    ask<[number]>(client, selectRevision),
    ask<JobTuple>(client, selectJobs, [after]),
    ask<LaneTuple>(client, selectLanes, [after]),
    ask<WorkerTuple>(client, selectWorkers, [after]),
    readPauses(client, after),
  ]);
  return {
    revision: revision[0]?.[0] as number,
    jobs: jobs.map(jobOf),
    lanes: lanes.map(laneOf),
    workers: workers.map(workerOf),
    pauses,
  };
}

export async function readWorkers(client: ClientBase, ids: readonly string[]): Promise<WorkerRecord[]> {
  return (await ask<WorkerTuple>(client, selectWorkersById, [textArray(ids)])).map(workerOf);
}

export async function readWorkerEvents(
  client: ClientBase,
  { worker, limit, offset }: Reads["workerEvents"]["query"],
): Promise<Reads["workerEvents"]["answer"]> {
  const id = storable(worker);
  const [rows, [total]] = await Promise.all([
    ask<[at: number, type: string, data: string | null]>(client, selectWorkerEvents, [id, limit, offset]),
    ask<[number]>(client, countWorkerEvents, [id, totalMax + 1]),
  ]);
  const items = rows.map(([at, type, data]): WorkerEvent => ({ worker, at, type, data }));
  return { items, ...totalOf(total?.[0] as number) };
}

export async function readWorkDone(
  client: ClientBase,
  { worker }: Reads["workDone"]["query"],
): Promise<Reads["workDone"]["answer"]> {
  return new Map(await ask<[number, number]>(client, countDone, [storable(worker), workDoneMax]));
}

export async function readHoldings(
  client: ClientBase,
  { workers }: Reads["holdings"]["query"],
): Promise<Reads["holdings"]["answer"]> {
  return new Map(await ask<[string, number]>(client, countHeld, [textArray(sortedTexts(workers)), holdingsMax]));
}

type DepthTuple = [
  ...[lane: number, ready: number, delayed: number, held: number],
  ...[deferred: number, oldestId: string | null],
];

export async function readDepths(client: ClientBase): Promise<LaneDepth[]> {
  return (await ask<DepthTuple>(client, selectDepths)).map(depthOf);
}

export async function readRoomDepths(
  client: ClientBase,
  { rooms, lanes }: Reads["roomDepths"]["query"],
): Promise<LaneDepth[]> {
  const values = [plainArray(lanes), textArray(rooms), roomDepthsMax];
  return (await ask<DepthTuple>(client, selectRoomDepths, values)).map(depthOf);
}

function depthOf([lane, ready, delayed, held, deferred, oldestId]: DepthTuple): LaneDepth {
  return { lane, ready, delayed, held, deferred, oldestId };
}

export async function readKey(
  client: ClientBase,
  { scope, key }: Reads["key"]["query"],
): Promise<IdempotencyKey | null> {
  const [row] = await ask<[string, string, number]>(client, selectKey, [storable(scope), storable(key)]);
  return row === undefined ? null : { scope, key, bodyHash: row[0], answer: row[1], at: row[2] };
}
