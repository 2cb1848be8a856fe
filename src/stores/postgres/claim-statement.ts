// Claiming, in one statement: ready tasks are taken in the exact order of their places.

import { searchingHeads, searchingLanes, searchingOneLane, slots } from "./claim-search.ts";
import type { CardTuple } from "./rows.ts";
import type { Statement } from "./statement.ts";

/** In the order of the statement's parameters. */
export interface ClaimValues {
  /** Tasks that are not to be handed out. */
  readonly named: string;
  /** Lanes, and how many tasks each may give. */
  readonly lanes: string;
  readonly rooms: string;
  /** How many tasks of each lane to look at first, and how many candidates to have in all. */
  readonly depth: number;
  readonly window: number;
  readonly takers: string;
  readonly limits: string;
  readonly assigns: string;
  readonly dueMs: string;
  readonly leaseMs: string;
  readonly now: number;
  readonly ticket: number;
  /** Cards of tasks older than this id are not read along. */
  readonly cardsFrom: string;
  /** For each lane, the place before which nobody is ready. */
  readonly floors: string;
}

/** The first row tells how the search went; every other row is a claimed task. */
export type SummaryRow = readonly [slot: null, slots: number, mayHaveMore: number];

/** Where the card was not read along, all of it but the id is null. */
export type ClaimRow = readonly [
  slot: number,
  taker: number,
  version: number,
  attempt: number,
  failures: number,
  checkpoint: string | null,
  children: string | null,
  losses: number,
  ...card: CardTuple,
  payload: string,
];

/** Mirrors the rule for "claim" and "assign" in core/task.ts; the contract test holds the two together. */
const claiming = `
    claimed as (
      update open_task o
      set
        state = case when t.assign then 'running' else 'claimed' end,
        version = o.version + 1,
        attempt = o.attempt + 1,
        worker = t.worker,
        claimed_at = $11::bigint,
        started_at = case when t.assign then $11::bigint end,
        leased_until = $11::bigint + t.lease_ms,
        due_at = $11::bigint + least(o.due_ms, t.due_ms),
        active_at = $11::bigint,
        ticket = $12::bigint
      from (
        select
          taken.spot,
          taken.slot::integer as slot,
          slots.takers[taken.slot] as taker,
          ($6::text[])[slots.takers[taken.slot]] as worker,
          ($8::boolean[])[slots.takers[taken.slot]] as assign,
          ($9::bigint[])[slots.takers[taken.slot]] as due_ms,
          ($10::bigint[])[slots.takers[taken.slot]] as lease_ms
        from taken
        cross join slots
      ) t
      where o.ctid = t.spot
      returning
        t.slot, t.taker, o.id, o.version, o.attempt, o.failures, o.losses, o.checkpoint, o.children, o.state, o.worker
    ),
    history as (
      insert into task_event (task, at, version, attempt, type, state, worker, data)
      select
        id, $11::bigint, version, attempt, case state when 'running' then 'task.assigned' else 'task.claimed' end,
        state, worker, null
      from claimed
    )`;

/**
 * Of one lane everything is seen, down to the last that was asked for. Only a task that moved while we locked it, and is
 * ready all the same, is left for another look.
 */
export const claimOneLane: Statement = {
  name: "claim_one_lane",
  text: statementText(searchingOneLane, "(select count(*) from taken) > (select count(*) from claimed)"),
};

export const claimHeads: Statement = {
  name: "claim_heads",
  text: statementText(searchingHeads, "(select count(*) from candidates) = $5"),
};

export const claimLanes: Statement = {
  name: "claim_lanes",
  text: statementText(searchingLanes, "exists (select from horizon) or (select count(*) from candidates) = $5"),
};

function statementText(searching: string, mayHaveMore: string): string {
  return `
    with${slots}${searching}${claiming}
    select
      null::integer,
      cardinality(takers),
      (${mayHaveMore})::integer,
      null::integer, null::integer, null, null, null::integer, null::uuid, null::integer, null, null::integer, null,
      null::uuid, null::uuid, null, null, null, null::bigint, null
    from slots
    union all
    select
      c.slot, c.taker, c.version, c.attempt, c.failures, c.checkpoint, c.children, c.losses, c.id, t.lane, t.room,
      t.priority, t.policy, t.parent, t.retry_of, t.submitter, t.checksum, t.logs, t.created_at, t.payload
    from claimed c
    left join task t on t.id = c.id and t.id >= $13::uuid`;
}

export function claimValuesInOrder(values: ClaimValues): (string | number | null)[] {
  return [
    ...[values.named, values.lanes, values.rooms, values.depth, values.window],
    ...[values.takers, values.limits, values.assigns, values.dueMs, values.leaseMs],
    ...[values.now, values.ticket, values.cardsFrom, values.floors],
  ];
}
