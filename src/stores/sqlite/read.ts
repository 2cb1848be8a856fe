import type { DatabaseSync } from "node:sqlite";
import type { WorkerEvent } from "../../ports/records.ts";
import {
  holdingsMax,
  type LaneDepth,
  type Page,
  type PageQuery,
  type Reads,
  roomDepthsMax,
  workDoneMax,
} from "../../ports/store-reads.ts";
import { alertReader } from "./alerts.ts";
import { auditReader } from "./audit.ts";
import { commandListReader, commandReader } from "./commands.ts";
import { keyFinder } from "./keys.ts";
import { loadReader } from "./load.ts";
import { messageReader, toldInFrontReader } from "./messages.ts";
import { providerListReader, providerReader } from "./providers.ts";
import { nodeReader } from "./pulse.ts";
import { catalogReader, workerReader } from "./read-catalog.ts";
import { failureReader, statisticReader } from "./read-statistics.ts";
import {
  childActivityReader,
  eventReader,
  historyReader,
  logReader,
  pageOf,
  positionsReader,
  taskReader,
} from "./read-tasks.ts";
import { sizeReader } from "./size.ts";
import { query } from "./statement.ts";
import { taskListReader } from "./task-list.ts";
import { taskScanReader } from "./task-scan.ts";
import { tokenListReader, tokenReader } from "./tokens.ts";

const selectWorkerEvents = `
  select worker, at, type, data
  from worker_event
  where worker = ?
  order by id
  limit +? offset +?`;

const countWorkerEvents = `
  select count(*)
  from worker_event
  where worker = ?`;

const countHeld = `
  select count(*)
  from (select 1 from open_task where worker = ? limit +?)`;

const countDone = `
  select t.lane, count(*)
  from (select task, state from outcome where worker = ? order by task desc limit +?) x
  join task t on t.id = x.task
  where x.state = 'completed'
  group by t.lane`;

// Counts along an index each. A deferred task is busy, but in nobody's hands.
const selectDepths = `
  select lane, sum(ready), sum(delayed), sum(busy) - sum(deferred), sum(deferred), min(oldest)
  from (
    select lane, count(*) as ready, 0 as delayed, 0 as busy, 0 as deferred, min(id) as oldest
    from open_task
    where state = 'pending' and run_at is null
    group by lane
    union all
    select lane, 0, count(*), 0, 0, null
    from open_task
    where run_at is not null
    group by lane
    union all
    select lane, 0, 0, count(*), 0, null
    from open_task
    where state <> 'pending'
    group by lane
    union all
    select lane, 0, 0, 0, count(*), null
    from open_task
    where state = 'running' and worker is null
    group by lane
  )
  group by lane
  order by lane`;

// The cross join keeps it from looking through all the tasks of a room.
const selectRoomDepths = `
  select
    o.lane,
    sum(o.state = 'pending' and o.run_at is null),
    sum(o.run_at is not null),
    sum(o.worker is not null),
    sum(o.state = 'running' and o.worker is null),
    min(iif(o.state = 'pending' and o.run_at is null, o.id, null))
  from (
    select id, lane, state, run_at, worker
    from open_task
    where lane in (select value from json_each(?))
    limit +?
  ) o
  cross join task t on t.id = o.id
  where t.room in (select value from json_each(?))
  group by o.lane
  order by o.lane`;

export type Readers = { [K in keyof Reads]: (query: Reads[K]["query"]) => Reads[K]["answer"] };

export function readers(db: DatabaseSync): Readers {
  const tasks = taskReader(db);
  const catalog = catalogReader(db);
  const worker = workerReader(db);
  const childActivity = childActivityReader(db);
  return {
    tasks: ({ ids }) => tasks(ids),
    taskList: taskListReader(db),
    taskScan: taskScanReader(db),
    events: eventReader(db),
    logs: logReader(db),
    workerEvents: workerEventReader(db),
    alerts: alertReader(db),
    catalog: ({ after }) => catalog(after),
    workers: ({ ids }) => ids.flatMap((id) => worker(id) ?? []),
    holdings: holdingReader(db),
    workDone: workDoneReader(db),
    size: sizeReader(db),
    positions: positionsReader(db),
    load: loadReader(db),
    message: messageReader(db),
    toldInFront: toldInFrontReader(db),
    depths: depthReader(db),
    roomDepths: roomDepthReader(db),
    statistics: statisticReader(db),
    failures: failureReader(db),
    key: keyFinder(db),
    token: tokenReader(db),
    tokens: tokenListReader(db),
    audit: auditReader(db),
    commands: commandListReader(db),
    command: commandReader(db),
    provider: providerReader(db),
    providers: providerListReader(db),
    histories: historyReader(db),
    nodes: nodeReader(db),
    childActivity: ({ parents }) => childActivity(parents),
  };
}

function workerEventReader(db: DatabaseSync): (query: { worker: string } & PageQuery) => Page<WorkerEvent> {
  const select = query<[string, number, string, string | null]>(db, selectWorkerEvents);
  const count = query<[number]>(db, countWorkerEvents);
  return ({ worker, limit, offset }) => {
    const events = select.all(worker, limit, offset);
    const items = events.map(([id, at, type, data]) => ({ worker: id, at, type, data }));
    return pageOf(items, count.get(worker)?.[0] ?? 0);
  };
}

function holdingReader(db: DatabaseSync): (query: { workers: readonly string[] }) => Map<string, number> {
  const count = query<[number]>(db, countHeld);
  return ({ workers }) => {
    const counts = workers.map((worker): [string, number] => [worker, count.get(worker, holdingsMax)?.[0] ?? 0]);
    return new Map(counts.filter(([, held]) => held > 0));
  };
}

function workDoneReader(db: DatabaseSync): (query: { worker: string }) => Map<number, number> {
  const count = query<[number, number]>(db, countDone);
  return ({ worker }) => new Map(count.all(worker, workDoneMax));
}
type DepthValues = [number, number, number, number, number, string | null];

function depthReader(db: DatabaseSync): () => LaneDepth[] {
  const select = query<DepthValues>(db, selectDepths);
  return () => select.all().map(depthOf);
}

function roomDepthReader(db: DatabaseSync): (query: Reads["roomDepths"]["query"]) => LaneDepth[] {
  const select = query<DepthValues>(db, selectRoomDepths);
  return ({ rooms, lanes }) => select.all(JSON.stringify(lanes), roomDepthsMax, JSON.stringify(rooms)).map(depthOf);
}

function depthOf([lane, ready, delayed, held, deferred, oldestId]: DepthValues): LaneDepth {
  return { lane, ready, delayed, held, deferred, oldestId };
}
