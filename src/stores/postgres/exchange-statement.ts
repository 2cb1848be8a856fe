// Settling and claiming, in one statement: what was decided about held tasks is written where the version still stands,
// and ready tasks are taken in the exact order of their places.

import { claiming, history, searchingLanes, searchingOneLane, settling, slots } from "./exchange-parts.ts";
import type { Statement } from "./statement.ts";

/** In the order of the statement's parameters. */
export interface ExchangeValues {
  /** Rows of task_write for tasks that end, in order of id, with their results and the data of their events. */
  readonly ended: string;
  readonly endedResults: string | null;
  readonly endedData: string | null;
  /** The same for tasks that stay open. */
  readonly moved: string;
  readonly movedData: string | null;
  /** Rows of task_event: those before the last of a write. */
  readonly events: string;
  /** Every task written here or earlier in the call: none of them is handed out. */
  readonly named: string;
  /** To be locked first, in order of id. */
  readonly locked: string;
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

/** The first row tells what was written and how the search went; every other row is a claimed task. */
export type ExchangeRow =
  | readonly [slot: null, written: number, slots: number, mayHaveMore: number, none: null, ids: string | null]
  | ClaimRow;

export type ClaimRow = readonly [
  slot: number,
  taker: number,
  version: number,
  attempt: number,
  failures: number,
  checkpoint: string | null,
  children: string | null,
  losses: number,
  id: string,
  lane: number | null,
  room: string,
  priority: number,
  policy: string | null,
  parent: string | null,
  retryOf: string | null,
  submitter: string | null,
  checksum: string,
  logs: string | null,
  createdAt: number,
  payload: string,
];

/**
 * Of one lane everything is seen, down to the last that was asked for. Only a task that moved while we locked it, and is
 * ready all the same, is left for another look.
 */
export const exchangeOneLane: Statement = {
  name: "exchange_one_lane",
  text: statementText(searchingOneLane, "(select count(*) from taken) > (select count(*) from claimed)"),
};

export const exchangeLanes: Statement = {
  name: "exchange_lanes",
  text: statementText(searchingLanes, "exists (select from horizon) or (select count(*) from candidates) = $12"),
};

function statementText(searching: string, mayHaveMore: string): string {
  return `
    with${settling}${slots}${searching}${claiming}${history}
    select
      null::integer,
      count(*)::integer,
      (select cardinality(takers) from slots),
      (${mayHaveMore})::integer,
      null::integer,
      case when count(*) < cardinality($7::uuid[]) then coalesce(array_agg(id), '{}')::text end,
      null, null::integer, null::uuid, null::integer, null, null::integer, null, null::uuid, null::uuid, null, null,
      null, null::bigint, null
    from written
    union all
    select
      c.slot, c.taker, c.version, c.attempt, c.failures, c.checkpoint, c.children, c.losses, c.id, t.lane, t.room,
      t.priority, t.policy, t.parent, t.retry_of, t.submitter, t.checksum, t.logs, t.created_at, t.payload
    from claimed c
    left join task t on t.id = c.id and t.id >= $20::uuid`;
}

export function valuesInOrder(values: ExchangeValues): (string | number | null)[] {
  return [
    ...[values.ended, values.endedResults, values.endedData, values.moved, values.movedData, values.events],
    ...[values.named, values.locked, values.lanes, values.rooms, values.depth, values.window],
    ...[values.takers, values.limits, values.assigns, values.dueMs, values.leaseMs],
    ...[values.now, values.ticket, values.cardsFrom, values.floors],
  ];
}
