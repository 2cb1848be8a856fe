import type { DatabaseSync } from "node:sqlite";
import type { Pulse, PulseRequest } from "../../ports/pulse.ts";
import type { NodeRecord } from "../../ports/records.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { change, query } from "./statement.ts";

// Who is here and who leads. No other process can share the file, so these live and die with the connection: a server
// with nothing to do writes nothing to the disk.
const createNodes = `
  create temp table if not exists node (
    id text not null primary key,
    started_at integer not null,
    seen_at integer not null,
    version text not null,
    address text,
    skew_ms integer not null,
    load text
  ) strict;

  create temp table if not exists leader (
    one integer primary key check (one = 1),
    node text not null,
    until integer not null
  ) strict;`;

const upsertNode = `
  insert or replace into node (id, started_at, seen_at, version, address, skew_ms, load)
  values (?, ?, ?, ?, ?, ?, ?)`;

const deleteNode = `
  delete from node
  where id = ?`;

const selectNodes = `
  select id, started_at, seen_at, version, address, skew_ms, load
  from node
  where id = ? or seen_at > ?
  order by id`;

const selectAllNodes = `
  select id, started_at, seen_at, version, address, skew_ms, load
  from node
  order by id`;

const selectLeader = `
  select node
  from leader
  where until > ?`;

const upsertLeader = `
  insert into leader (one, node, until)
  values (1, ?, ?)
  on conflict do update
  set node = excluded.node, until = excluded.until
  where node = excluded.node or until <= ?`;

const deleteLeader = `
  delete from leader
  where node = ?`;

// Hops from lane to lane along the ready index instead of walking through their tasks.
const selectReadyLanes = `
  with recursive ready (lane) as (
    select min(lane)
    from open_task
    where state = 'pending' and run_at is null
    union all
    select (
      select min(o.lane)
      from open_task o
      where o.state = 'pending' and o.run_at is null and o.lane > ready.lane
    )
    from ready
    where ready.lane is not null
  )
  select lane
  from ready
  where lane is not null`;

// Sessions: mirrors nextChangeAt in core/liveness.ts; the contract test holds the two together.
const selectNext = `
  select
    (select min(run_at) from open_task where run_at is not null),
    (select min(due_at) from open_task where due_at is not null),
    (
      select min(seen_at + lost_ms)
      from session
      where coalesce(unreachable_ms, lost_ms) <= ? and lost_at is null and removed_at is null
    ),
    (
      select min(seen_at + unreachable_ms)
      from session
      where told = 'ONLINE' and unreachable_ms <= ? and lost_at is null and removed_at is null
    ),
    (
      select min(seen_at)
      from session
      where told = 'UNREACHABLE' and unreachable_ms is not null and lost_at is null and removed_at is null
        and seen_at + unreachable_ms > ?
    ),
    (select catalog from meta),
    exists (select 1 from outbox where at <= ?)`;

type Time = number | null;
type Next = [Time, Time, Time, Time, Time, number, number];
const nothing: Next = [null, null, null, null, null, 0, 0];

export function pulse(db: DatabaseSync): (request: PulseRequest) => Pulse {
  const presence = nodes(db);
  const lanes = query<[number]>(db, selectReadyLanes);
  const next = query<Next>(db, selectNext);

  return (request) => {
    const leader = presence.renew(request);
    const { heardMs, now } = request;
    const [nextRunAt, nextDueAt, ...rest] = next.get(heardMs, heardMs, now, now) ?? nothing;
    const [lostAt, silentAt, backAt, catalog, outbox] = rest;
    return {
      now,
      leader,
      nodes: presence.seen(request),
      lanes: lanes.all().map(([lane]) => lane),
      nextRunAt,
      nextDueAt,
      nextLostAt: earliest(lostAt, silentAt, backAt),
      catalog,
      outbox: outbox === 1,
    };
  };
}

function earliest(...times: readonly Time[]): Time {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function nodes(db: DatabaseSync) {
  db.exec(createNodes);
  const upsert = change(db, upsertNode);
  const leave = change(db, deleteNode);
  const lead = change(db, upsertLeader);
  const resign = change(db, deleteLeader);
  const select = query<NodeTuple>(db, selectNodes);

  return {
    /** Answers whether the node leads. */
    renew({ node, now, leaseMs, staying }: PulseRequest): boolean {
      if (staying) {
        upsert(node.id, node.startedAt, now, node.version, node.address, node.skewMs, node.load);
        return lead(node.id, now + leaseMs, now) === 1;
      }
      leave(node.id);
      resign(node.id);
      return false;
    },

    seen({ node, now, leaseMs }: PulseRequest): NodeRecord[] {
      return select.all(node.id, now - leaseMs).map(nodeOf);
    },
  };
}

type NodeTuple = [string, number, number, string, string | null, number, string | null];

function nodeOf([id, startedAt, seenAt, version, address, skewMs, load]: NodeTuple): NodeRecord {
  return { id, startedAt, seenAt, version, address, skewMs, load };
}

/** Prepared on use: other connections to the file have no such tables, and nobody asks them. */
export function nodeReader(db: DatabaseSync): (query: Reads["nodes"]["query"]) => Reads["nodes"]["answer"] {
  const prepare = () => {
    db.exec(createNodes);
    return { nodes: query<NodeTuple>(db, selectAllNodes), leader: query<[string]>(db, selectLeader) };
  };
  let prepared: ReturnType<typeof prepare> | null = null;
  return ({ now }) => {
    prepared ??= prepare();
    return { nodes: prepared.nodes.all().map(nodeOf), leader: prepared.leader.get(now)?.[0] ?? null };
  };
}
