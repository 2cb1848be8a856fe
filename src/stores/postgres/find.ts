import type { Message, OutboxItem } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { plainArray, sortedIds, sortedTexts, textArray } from "./arrays.ts";
import { type CommandTuple, commandOf, findCommands } from "./commands.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import {
  findUnheeded,
  findUnpublished,
  type MessageTuple,
  messageOf,
  unheededValues,
  unpublishedValues,
} from "./messages.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement, type Value } from "./statement.ts";
import { storable } from "./text.ts";

// Whoever is found by one key and wanted in the order of another is found first and sorted afterwards: keyed connections
// avoid sorting, and would walk through all tasks in the order that is wanted (plans.test.ts).

const findDue: Statement = {
  name: "find_due",
  text: `
    select id
    from open_task
    where due_at <= $1
    order by due_at, id
    limit $2`,
};

const findLost: Statement = {
  name: "find_lost",
  text: `
    select worker
    from session
    where lost_at is null
      and removed_at is null
      and seen_at + lost_ms <= $1
      and coalesce(unreachable_ms, lost_ms) <= $2
    order by worker
    limit $3`,
};

// Mirrors untold in core/liveness.ts; the contract test holds the two together.
const findUntold: Statement = {
  name: "find_untold",
  text: `
    select worker
    from session
    where told = 'UNREACHABLE'
      and lost_at is null
      and removed_at is null
      and seen_at + unreachable_ms > $1
    union all
    select worker
    from session
    where told = 'ONLINE'
      and unreachable_ms is not null
      and lost_at is null
      and removed_at is null
      and seen_at + unreachable_ms <= $1
      and unreachable_ms <= $2
    order by worker
    limit $3`,
};

const findOffline: Statement = {
  name: "find_offline",
  text: `
    select s.worker
    from session s
    join worker w on w.id = s.worker
    where w.profile = $1
      and s.removed_at is null
      and s.lost_at < $2
    order by s.lost_at, s.worker
    limit $3`,
};

const findRemoved: Statement = {
  name: "find_removed",
  text: `
    select worker
    from session
    where removed_at is not null
    order by removed_at desc, worker
    limit $1`,
};

// Hops from holder to holder through the index, so it costs a look for each worker that holds something.
const findForsaken: Statement = {
  name: "find_forsaken",
  text: `
    with recursive holder (worker) as (
      (
        select worker
        from open_task
        where worker is not null
        order by worker
        limit 1
      )
      union all
      select (
        select o.worker
        from open_task o
        where o.worker > holder.worker
        order by o.worker
        limit 1
      )
      from holder
      where holder.worker is not null
    ),
    found as materialized (
      select o.id, o.worker
      from holder h
      left join session s on s.worker = h.worker and s.lost_at is null and s.removed_at is null
      join open_task o on o.worker = h.worker
      where s.worker is null
    )
    select id, worker
    from found
    order by id
    limit $1`,
};

const findHeld: Statement = {
  name: "find_held",
  text: `
    with found as materialized (
      select o.id
      from unnest($1::text[]) n (worker)
      join open_task o on o.worker = n.worker
    )
    select id
    from found
    order by id
    limit $2`,
};

const findChildren: Statement = {
  name: "find_children",
  text: `
    with found as materialized (
      select o.id
      from unnest($1::uuid[]) n (parent)
      join open_task o on o.parent = n.parent
    )
    select id
    from found
    order by id
    limit $2`,
};

const findOrphans: Statement = {
  name: "find_orphans",
  text: `
    select j.name
    from job j
    where not j.deleted
      and j.source = 'worker'
      and not exists (select from worker_job w where w.job = j.name)
      and not exists (
        select
        from lane l
        where l.job = j.name
          and (
            exists (select from open_task o where o.lane = l.id and o.state = 'pending' and o.run_at is null)
            or exists (select from open_task o where o.lane = l.id and o.run_at is not null)
          )
      )
    order by j.name
    limit $1`,
};

const findOutbox: Statement = {
  name: "find_outbox",
  text: `
    select id, kind, key, data, at
    from outbox
    where kind = $1
      and at <= $2
    order by at, id
    limit $3`,
};

const findOutboxKinds: Statement = {
  name: "find_outbox_kinds",
  text: `
    select kind, count(*)::integer
    from outbox
    group by kind
    order by kind collate "C"
    limit $1`,
};

type Finders = { [K in keyof Find]: (database: Database, query: Find[K]["query"]) => Promise<Find[K]["answer"]> };

export function find<K extends keyof Find>(
  database: Database,
  kind: K,
  query: Find[K]["query"],
): Promise<Find[K]["answer"]> {
  return finders[kind](database, query);
}

const finders: Finders = {
  due: (database, { now, limit }) => names(database, findDue, [now, limit]),

  lost: (database, { now, heardMs, limit }) => names(database, findLost, [now, heardMs, limit]),

  untold: (database, { now, heardMs, limit }) => names(database, findUntold, [now, heardMs, limit]),

  offline: (database, { profile, lostBefore, limit }) => names(database, findOffline, [profile, lostBefore, limit]),

  removed: (database, { limit }) => names(database, findRemoved, [limit]),

  forsaken: async (database, { limit }) => {
    const rows = await look<[task: string, worker: string]>(database, findForsaken, [limit]);
    return rows.map(([task, worker]) => ({ task, worker }));
  },

  held: (database, { workers, limit }) => names(database, findHeld, [textArray(sortedTexts(workers)), limit]),

  children: (database, { parents, limit }) => names(database, findChildren, [plainArray(sortedIds(parents)), limit]),

  orphans: (database, { limit }) => names(database, findOrphans, [limit]),

  commands: async (database, { workers, now, limit }) => {
    const rows = await look<CommandTuple>(database, findCommands, [textArray(sortedTexts(workers)), now, limit]);
    return rows.map(commandOf);
  },

  unpublished: (database, query) => messages(database, findUnpublished, unpublishedValues(query)),

  unheeded: (database, query) => messages(database, findUnheeded, unheededValues(query)),

  outbox: async (database, { kind, dueBy = Number.MAX_SAFE_INTEGER, limit }) => {
    type Item = [id: string, kind: string, key: string, data: string | null, at: number];
    const rows = await look<Item>(database, findOutbox, [storable(kind), dueBy, limit]);
    return rows.map(([id, said, key, data, at]): OutboxItem => ({ id, kind: said, key, data, at }));
  },

  outboxKinds: async (database, { limit }) => {
    const rows = await look<[kind: string, count: number]>(database, findOutboxKinds, [limit]);
    return rows.map(([kind, count]) => ({ kind, count }));
  },
};

async function names(database: Database, statement: Statement, values: readonly Value[]): Promise<string[]> {
  const rows = await look<[name: string]>(database, statement, values);
  return rows.map(([name]) => name);
}

async function messages(database: Database, statement: Statement, values: readonly number[]): Promise<Message[]> {
  const rows = await look<MessageTuple>(database, statement, values);
  return rows.map(messageOf);
}

function look<R extends readonly unknown[]>(
  database: Database,
  statement: Statement,
  values: readonly Value[],
): Promise<R[]> {
  return patiently(database, () => lend(database.lookers, (client) => ask<R>(client, statement, values)));
}
