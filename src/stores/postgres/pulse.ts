import type { ClientBase } from "pg";
import type { Pulse, PulseRequest } from "../../ports/pulse.ts";
import type { NodeRecord } from "../../ports/records.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { lend } from "./connections.ts";
import type { Database } from "./database.ts";
import { patiently } from "./patience.ts";
import { ask, type Statement } from "./statement.ts";
import { storable } from "./text.ts";

// Leases are counted on the database's clock, the same for everyone. Lanes with work are found by hopping from lane to
// lane through the index: however many tasks wait, it costs one look for each lane. Sessions: mirrors nextChangeAt in
// core/liveness.ts; the contract test holds the two together.
const pulseNode: Statement = {
  name: "pulse_node",
  text: `
    with recursive
    clock as materialized (
      select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now
    ),
    here as (
      insert into node (id, started_at, seen_at, version, address, skew_ms, load)
      select $1, $2, now, $3, $4, $8, $9
      from clock
      where $6
      on conflict (id) do update
      set
        started_at = excluded.started_at,
        seen_at = excluded.seen_at,
        version = excluded.version,
        address = excluded.address,
        skew_ms = excluded.skew_ms,
        load = excluded.load
    ),
    gone as (
      delete from node
      using clock
      where (node.id = $1 and not $6)
        or (node.id <> $1 and node.seen_at < clock.now - $7)
    ),
    lead as (
      insert into leader (node, until)
      select $1, now + $5
      from clock
      where $6
      on conflict (one) do update
      set node = excluded.node, until = excluded.until
      where leader.node = excluded.node
        or leader.until <= excluded.until - $5
      returning node
    ),
    resigned as (
      delete from leader
      where node = $1
        and not $6
    ),
    ready (lane) as (
      (
        select lane
        from open_task
        where state = 'pending'
          and run_at is null
        order by lane
        limit 1
      )
      union all
      select (
        select o.lane
        from open_task o
        where o.state = 'pending'
          and o.run_at is null
          and o.lane > ready.lane
        order by o.lane
        limit 1
      )
      from ready
      where ready.lane is not null
    )
    select
      clock.now,
      exists (select from lead),
      (
        select json_agg(json_build_array(n.id, n.started_at, n.seen_at, n.version, n.address, n.skew_ms, n.load))
        from node n
        where n.id <> $1
          and clock.now - n.seen_at < $5
      )::text,
      (select json_agg(lane order by lane) from ready where lane is not null)::text,
      (select run_at from open_task where run_at is not null order by run_at limit 1),
      (select due_at from open_task where due_at is not null order by due_at limit 1),
      (
        select min(
          case
            when s.unreachable_ms is null then s.seen_at + s.lost_ms
            when s.told = 'ONLINE' then s.seen_at + least(s.unreachable_ms, s.lost_ms)
            when s.seen_at + s.unreachable_ms > $10 then s.seen_at
            else s.seen_at + s.lost_ms
          end
        )
        from session s
        where s.lost_at is null
          and s.removed_at is null
          and (
            coalesce(s.unreachable_ms, s.lost_ms) <= $11
            or (s.told = 'UNREACHABLE' and s.seen_at + s.unreachable_ms > $10)
          )
      ),
      (select catalog from meta),
      exists (select from outbox where at <= $10)
    from clock`,
};

type PulseTuple = readonly [
  now: number,
  leader: boolean,
  others: string | null,
  lanes: string | null,
  nextRunAt: number | null,
  nextDueAt: number | null,
  nextLostAt: number | null,
  catalog: number,
  outbox: boolean,
];

/** Nodes that have not been heard of for so long are forgotten. */
const forgottenMs = 24 * 3_600_000;

export async function pulse(database: Database, request: PulseRequest): Promise<Pulse> {
  const { node, now: ours, leaseMs, heardMs, staying } = request;
  const address = node.address === null ? null : storable(node.address);
  const forgotten = Math.max(forgottenMs, leaseMs);
  const values = [
    ...[storable(node.id), node.startedAt, storable(node.version), address, leaseMs, staying, forgotten],
    ...[Math.round(node.skewMs), node.load === null ? null : storable(node.load), ours, heardMs],
  ];
  // A pulse that was counted may be counted again: it says the same of the node.
  const [row] = await patiently(database, () =>
    lend(database.pulses, (client) => ask<PulseTuple>(client, pulseNode, values)),
  );
  const [now, leader, others, lanes, nextRunAt, nextDueAt, nextLostAt, catalog, outbox] = row as PulseTuple;
  const nodes = [...(staying ? [{ ...node, seenAt: now }] : []), ...nodesIn(others)];
  return {
    ...{ now, leader, nodes: nodes.sort((a, b) => (a.id < b.id ? -1 : 1)), nextRunAt, nextDueAt, nextLostAt },
    ...{ lanes: lanes === null ? [] : (JSON.parse(lanes) as number[]), catalog, outbox },
  };
}

function nodesIn(text: string | null): NodeRecord[] {
  if (text === null) return [];
  return (JSON.parse(text) as NodeTuple[]).map(nodeOf);
}

type NodeTuple = readonly [string, number, number, string, string | null, number, string | null];

function nodeOf([id, startedAt, seenAt, version, address, skewMs, load]: NodeTuple): NodeRecord {
  return { id, startedAt, seenAt, version, address, skewMs, load };
}

const selectNodes: Statement = {
  name: "select_nodes",
  text: `
    select id, started_at, seen_at, version, address, skew_ms, load
    from node
    order by id`,
};

const selectLeader: Statement = {
  name: "select_leader",
  text: `
    select node
    from leader
    where until > $1`,
};

export async function readNodes(
  client: ClientBase,
  { now }: Reads["nodes"]["query"],
): Promise<Reads["nodes"]["answer"]> {
  const [nodes, leaders] = await Promise.all([
    ask<NodeTuple>(client, selectNodes),
    ask<[node: string]>(client, selectLeader, [now]),
  ]);
  return { nodes: nodes.map(nodeOf), leader: leaders[0]?.[0] ?? null };
}
