// How much is in hand, of workers and of lanes.

import type { DatabaseSync } from "node:sqlite";
import type { Reads } from "../../ports/store-reads.ts";
import { query } from "./statement.ts";

const countOfWorker = `
  select count(*)
  from open_task
  where worker = ?`;

// A deferred task is busy, but in nobody's hands.
const countOfLane = `
  select
    (select count(*) from open_task where lane = ? and state <> 'pending')
    - (select count(*) from open_task where lane = ? and state = 'running' and worker is null)`;

/** How many tasks of a lane are in somebody's hands. */
export function laneLoad(db: DatabaseSync): (lane: number) => number {
  const count = query<[number]>(db, countOfLane);
  return (lane) => count.get(lane, lane)?.[0] ?? 0;
}

export function loadReader(db: DatabaseSync): (query: Reads["load"]["query"]) => Reads["load"]["answer"] {
  const ofWorker = query<[number]>(db, countOfWorker);
  const ofLane = laneLoad(db);
  return ({ workers, lanes }) => ({
    workers: counted(workers, (worker) => ofWorker.get(worker)?.[0] ?? 0),
    lanes: counted(lanes, ofLane),
  });
}

function counted<K>(keys: readonly K[], count: (key: K) => number): ReadonlyMap<K, number> {
  return new Map(keys.map((key) => [key, count(key)] as const).filter(([, many]) => many > 0));
}
