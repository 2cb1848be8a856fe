import type { DatabaseSync } from "node:sqlite";
import type { Find } from "../../ports/store-finds.ts";
import { commandFinder } from "./commands.ts";
import { unheededFinder, unpublishedFinder } from "./messages.ts";
import { outboxFinder, outboxKindsFinder } from "./outbox.ts";
import { query } from "./statement.ts";

const selectDue = `
  select id
  from open_task
  where due_at <= ?
  order by due_at, id
  limit +?`;

// The sign before the order keeps SQLite from walking all sessions to save the sorting of a few.
const selectLost = `
  select worker
  from session
  where lost_at is null and removed_at is null and seen_at + lost_ms <= ? and coalesce(unreachable_ms, lost_ms) <= ?
  order by +worker
  limit +?`;

// Mirrors untold in core/liveness.ts; the contract test holds the two together.
const selectUntold = `
  select worker
  from (
    select worker
    from session
    where unreachable_ms is not null and lost_at is null and removed_at is null
      and told = 'UNREACHABLE' and seen_at + unreachable_ms > ?
    union all
    select worker
    from session
    where unreachable_ms is not null and lost_at is null and removed_at is null
      and told = 'ONLINE' and seen_at + unreachable_ms <= ? and unreachable_ms <= ?
  )
  order by +worker
  limit +?`;

const selectOffline = `
  select s.worker
  from session s
  cross join worker w on w.id = s.worker
  where s.lost_at < ? and s.removed_at is null and w.profile = ?
  order by s.lost_at, s.worker
  limit +?`;

const selectRemoved = `
  select worker
  from session
  where removed_at is not null
  order by removed_at desc, worker
  limit +?`;

// Hops from holder to holder along the index of held tasks; only those of holders that are not alive are read.
const selectForsaken = `
  with recursive holder (worker) as (
    select min(worker)
    from open_task
    where worker is not null
    union all
    select (
      select min(o.worker)
      from open_task o
      where o.worker > holder.worker
    )
    from holder
    where holder.worker is not null
  )
  select o.id, o.worker
  from holder h
  cross join open_task o on o.worker = h.worker
  where not exists (
    select 1
    from session s
    where s.worker = h.worker and s.lost_at is null and s.removed_at is null
  )
  order by o.id
  limit +?`;

const selectHeld = `
  select id
  from open_task
  where worker = ?
  order by id
  limit +?`;

const selectChildren = `
  select id
  from open_task
  where parent = ?
  order by id
  limit +?`;

const selectOrphans = `
  select j.name
  from job j
  where j.deleted = 0 and j.source = 'worker'
    and not exists (select 1 from worker_job k where k.job = j.name)
    and not exists (
      select 1
      from lane l
      where l.job = j.name and (
        exists (select 1 from open_task o where o.lane = l.id and o.state = 'pending' and o.run_at is null)
        or exists (select 1 from open_task o where o.lane = l.id and o.run_at is not null)
      )
    )
  order by j.name
  limit +?`;

export type Finders = { [K in keyof Find]: (query: Find[K]["query"]) => Find[K]["answer"] };

export function finders(db: DatabaseSync): Finders {
  const ids = (sql: string) => {
    const select = query<[string]>(db, sql);
    return (...values: (string | number)[]): string[] => select.all(...values).map(([id]) => id);
  };
  const due = ids(selectDue);
  const lost = ids(selectLost);
  const untold = ids(selectUntold);
  const offline = ids(selectOffline);
  const removed = ids(selectRemoved);
  const forsaken = query<[string, string]>(db, selectForsaken);
  const held = heldFinder(db);
  const children = childrenFinder(db);
  const orphans = ids(selectOrphans);
  const outbox = outboxFinder(db);

  return {
    due: ({ now, limit }) => due(now, limit),
    lost: ({ now, heardMs, limit }) => lost(now, heardMs, limit),
    untold: ({ now, heardMs, limit }) => untold(now, now, heardMs, limit),
    offline: ({ profile, lostBefore, limit }) => offline(lostBefore, profile, limit),
    removed: ({ limit }) => removed(limit),
    forsaken: ({ limit }) => forsaken.all(limit).map(([task, worker]) => ({ task, worker })),
    held: ({ workers, limit }) => held(workers, limit),
    children: ({ parents, limit }) => children(parents, limit),
    orphans: ({ limit }) => orphans(limit),
    commands: commandFinder(db),
    unpublished: unpublishedFinder(db),
    unheeded: unheededFinder(db),
    outbox,
    outboxKinds: outboxKindsFinder(db),
  };
}

/** Tasks in the hands of these workers, the oldest first. */
export function heldFinder(db: DatabaseSync): (workers: readonly string[], limit: number) => string[] {
  return idsOfEach(db, selectHeld);
}

/** Open children of these tasks, the oldest first. */
export function childrenFinder(db: DatabaseSync): (parents: readonly string[], limit: number) => string[] {
  return idsOfEach(db, selectChildren);
}

/** Asks for each key by itself, so that each is a walk along an index, and none reads more than the limit. */
function idsOfEach(db: DatabaseSync, sql: string): (keys: readonly string[], limit: number) => string[] {
  const select = query<[string]>(db, sql);
  return (keys, limit) => {
    const ids = [...new Set(keys)].flatMap((key) => select.all(key, limit).map(([id]) => id));
    return ids.sort().slice(0, limit);
  };
}
