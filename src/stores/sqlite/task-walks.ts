// The walks that lists of tasks are made of. Each goes along one index from the newest task to the oldest, from
// `before` on; what the index cannot say is checked task by task.

import type { DatabaseSync } from "node:sqlite";
import type { TaskFilter } from "../../ports/store-reads.ts";
import { type NamedQuery, namedQuery, query } from "./statement.ts";

const filtered = `
  (:rooms is null or t.room in (select value from json_each(:rooms)))
  and (:lanes is null or t.lane in (select value from json_each(:lanes)))
  and (:parent is null or t.parent = :parent)
  and (:state is null or :state = (
    select state from open_task where id = t.id
    union all
    select state from outcome where task = t.id
  ))
  and (:worker is null or :worker = (
    select worker from open_task where id = t.id
    union all
    select worker from outcome where task = t.id
  ))`;

const walkAll = `
  select t.id
  from task t
  where t.id < :before and ${filtered}
  order by t.id desc
  limit +:limit`;

const walkRoom = `
  select t.id
  from task t
  where t.room = :key and t.id < :before and ${filtered}
  order by t.id desc
  limit +:limit`;

const walkLane = `
  select t.id
  from task t
  where t.lane = :key and t.id < :before and ${filtered}
  order by t.id desc
  limit +:limit`;

const walkParent = `
  select t.id
  from task t
  where t.parent = :key and t.id < :before and ${filtered}
  order by t.id desc
  limit +:limit`;

const walkPending = `
  select t.id
  from open_task o
  cross join task t on t.id = o.id
  where o.state = 'pending' and o.id < :before and ${filtered}
  order by o.id desc
  limit +:limit`;

const walkBusy = `
  select t.id
  from open_task o
  cross join task t on t.id = o.id
  where o.lane = :key and o.state = :state and o.state <> 'pending' and o.id < :before and ${filtered}
  order by o.id desc
  limit +:limit`;

const walkHeld = `
  select t.id
  from open_task o
  cross join task t on t.id = o.id
  where o.worker = :key and o.id < :before and ${filtered}
  order by o.id desc
  limit +:limit`;

const walkEnded = `
  select t.id
  from outcome r
  cross join task t on t.id = r.task
  where r.worker = :key and r.task < :before and ${filtered}
  order by r.task desc
  limit +:limit`;

const walkUnhappy = `
  select t.id
  from outcome r
  cross join task t on t.id = r.task
  where r.state = :key and r.state <> 'completed' and r.task < :before and ${filtered}
  order by r.task desc
  limit +:limit`;

const walkSql = {
  all: walkAll,
  room: walkRoom,
  lane: walkLane,
  parent: walkParent,
  pending: walkPending,
  busy: walkBusy,
  held: walkHeld,
  ended: walkEnded,
  unhappy: walkUnhappy,
} as const;

// Hops from lane to lane.
const selectBusyLanes = `
  with recursive busy (lane) as (
    select min(lane)
    from open_task
    where state <> 'pending'
    union all
    select (
      select min(o.lane)
      from open_task o
      where o.state <> 'pending' and o.lane > busy.lane
    )
    from busy
    where busy.lane is not null
  )
  select lane
  from busy
  where lane is not null`;

type WalkKind = keyof typeof walkSql;

export interface Walk {
  readonly ids: NamedQuery<[string]>;
  /** Counts no further than its limit. */
  readonly count: NamedQuery<[number]>;
  readonly key: string | number;
}

/** The walks that together meet every task the filter wants, each once. */
export function taskWalks(db: DatabaseSync): (filter: TaskFilter) => Walk[] {
  const prepared = prepareWalks(db);
  const busyLanes = query<[number]>(db, selectBusyLanes);
  const along = (kind: WalkKind, ...keys: readonly (string | number)[]): Walk[] =>
    [...new Set(keys)].map((key) => ({ ...prepared[kind], key }));

  return ({ rooms, lanes, state, parent, worker }) => {
    if (parent !== undefined) return along("parent", parent);
    if (worker !== undefined) return [...along("held", worker), ...along("ended", worker)];
    if (state === "pending") return along("pending", "");
    if (state === "failed" || state === "cancelled") return along("unhappy", state);
    if (state === "claimed" || state === "running") {
      return along("busy", ...(lanes ?? busyLanes.all().map(([lane]) => lane)));
    }
    if (lanes !== undefined) return along("lane", ...lanes);
    if (rooms !== undefined) return along("room", ...rooms);
    return along("all", "");
  };
}

function prepareWalks(db: DatabaseSync): Record<WalkKind, Omit<Walk, "key">> {
  const prepared = Object.entries(walkSql).map(([kind, sql]) => [
    kind,
    { ids: namedQuery<[string]>(db, sql), count: namedQuery<[number]>(db, `select count(*) from (${sql})`) },
  ]);
  return Object.fromEntries(prepared) as Record<WalkKind, Omit<Walk, "key">>;
}
