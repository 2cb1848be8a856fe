// Settling and claiming, in one statement: what was decided about held tasks is written where the version still stands,
// and ready tasks are taken in the exact order of their places. All of it sees the database as it was at the beginning,
// so a task that this statement gives back is not among those it can take.
//
// Tasks are found by id and compared by version, never by state: beside an index on that state, old statistics would
// choose it for the search.

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
}

/** The first row tells what was written and how the search went; every other row is a claimed task. */
export type ExchangeRow =
  | readonly [slot: null, written: number, candidates: number, slots: number, unsure: number, ids: string | null]
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
 * `claimed` mirrors the rule for "claim" and "assign" in core/task.ts; the contract test holds the two together.
 *
 * The search: a few of each lane without locks (`near`), then more of the lanes that gave all they were asked for
 * (`ends`, `further`), the earlier in line the more; whoever is behind the end of what was seen of a lane (`horizon`)
 * is left for another call. Places are locked in order, passing over those that others hold.
 */
export const exchangeTasks: Statement = {
  name: "exchange_tasks",
  text: `
    with
    held as materialized (
      select o.id
      from unnest($8::uuid[]) with ordinality h (id, nth)
      join open_task o on o.id = h.id
      order by h.nth
      for update of o
    ),
    ended as (
      delete from open_task o
      using unnest($1::task_write[], $2::text[], $3::text[]) w (
        id, expected, version, attempt, failures, losses, active_at, run_at, claimed_at, started_at, leased_until,
        due_at, state, worker, progress, children, checkpoint, error, finished_at, event_worker, type, result, data
      )
      where o.id = w.id
        and o.version = w.expected
        and (select count(*) from held) >= 0
      returning w.*
    ),
    moved as (
      update open_task o
      set
        version = w.version,
        attempt = w.attempt,
        failures = w.failures,
        losses = w.losses,
        active_at = w.active_at,
        run_at = w.run_at,
        claimed_at = w.claimed_at,
        started_at = w.started_at,
        leased_until = w.leased_until,
        due_at = w.due_at,
        state = w.state,
        worker = w.worker,
        progress = w.progress,
        children = w.children,
        checkpoint = w.checkpoint
      from unnest($4::task_write[], $5::text[]) w (
        id, expected, version, attempt, failures, losses, active_at, run_at, claimed_at, started_at, leased_until,
        due_at, state, worker, progress, children, checkpoint, error, finished_at, event_worker, type, data
      )
      where o.id = w.id
        and o.version = w.expected
        and (select count(*) from held) >= 0
      returning w.id, w.version, w.active_at, w.attempt, w.state, w.worker, w.event_worker, w.type, w.data
    ),
    written as materialized (
      select id from ended
      union all
      select id from moved
    ),
    outcomes as (
      insert into outcome (
        task, finished_at, active_at, claimed_at, started_at, version, attempt, failures, losses, state, worker,
        progress, children, checkpoint, result, error
      )
      select
        id, coalesce(finished_at, active_at), active_at, claimed_at, started_at, version, attempt, failures, losses,
        state, worker, progress, children, checkpoint, result, error
      from ended
    ),
    slots as materialized (
      select coalesce(array_agg(t.nth::integer order by t.nth), '{}') as takers
      from unnest($13::text[], $14::integer[]) with ordinality t (worker, most, nth)
      join session s on s.worker = t.worker
      cross join lateral generate_series(1, t.most)
      where s.lost_at is null
        and s.removed_at is null
    ),
    near as materialized (
      select l.lane, l.room, c.spot, c.place, c.version
      from unnest($9::integer[], $10::integer[]) l (lane, room)
      cross join lateral (
        select o.ctid as spot, o.place, o.version
        from open_task o
        where o.lane = l.lane
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($7::uuid[]))
        order by o.place
        limit least($11::integer, l.room)
      ) c
    ),
    cut as materialized (
      select place
      from near
      where $11 < $12::integer
      order by place
      offset $12 - 1
      limit 1
    ),
    ends as materialized (
      select lane, room, place, ceil(2.0 * $12 / row_number() over (order by place))::integer as share
      from (
        select lane, room, place, row_number() over (partition by lane order by place) as nth
        from near
        where $11 < $12
      ) n
      where nth = $11
        and place < coalesce((select place from cut), '\\xff')
    ),
    further as materialized (
      select e.lane, e.share, c.spot, c.place, c.version
      from ends e
      cross join lateral (
        select o.ctid as spot, o.place, o.version
        from open_task o
        where o.lane = e.lane
          and o.state = 'pending'
          and o.run_at is null
          and o.id not in (select unnest($7::uuid[]))
          and o.place > e.place
          and o.place < coalesce((select place from cut), '\\xff')
        order by o.place
        limit least(e.share, e.room - $11)
      ) c
    ),
    horizon as materialized (
      select place
      from (
        select place, share, row_number() over (partition by lane order by place) as nth
        from further
      ) f
      where nth = share
      order by place
      limit 1
    ),
    candidates as materialized (
      select spot, place, version
      from (
        select spot, place, version from near
        union all
        select spot, place, version from further
      ) c
      where place <= coalesce((select place from horizon), '\\xff')
      order by place
      limit $12
    ),
    taken as materialized (
      select spot, row_number() over (order by place) as slot
      from (
        select o.ctid as spot, o.place
        from candidates c
        join open_task o on o.ctid = c.spot
        where o.version = c.version
        order by c.place
        limit (select cardinality(takers) from slots)
        for update of o skip locked
      ) o
    ),
    claimed as (
      update open_task o
      set
        state = case when t.assign then 'running' else 'claimed' end,
        version = o.version + 1,
        attempt = o.attempt + 1,
        worker = t.worker,
        claimed_at = $18::bigint,
        started_at = case when t.assign then $18::bigint end,
        leased_until = $18::bigint + t.lease_ms,
        due_at = $18::bigint + least(o.due_ms, t.due_ms),
        active_at = $18::bigint,
        ticket = $19::bigint
      from (
        select
          taken.spot,
          taken.slot::integer as slot,
          slots.takers[taken.slot] as taker,
          ($13::text[])[slots.takers[taken.slot]] as worker,
          ($15::boolean[])[slots.takers[taken.slot]] as assign,
          ($16::bigint[])[slots.takers[taken.slot]] as due_ms,
          ($17::bigint[])[slots.takers[taken.slot]] as lease_ms
        from taken
        cross join slots
      ) t
      where o.ctid = t.spot
      returning
        t.slot, t.taker, o.id, o.version, o.attempt, o.failures, o.losses, o.checkpoint, o.children, o.state, o.worker
    ),
    history as (
      insert into task_event (task, at, version, attempt, type, state, worker, data)
      select id, active_at, version, attempt, type, state, coalesce(event_worker, worker), data
      from ended
      where type is not null
      union all
      select id, active_at, version, attempt, type, state, coalesce(event_worker, worker), data
      from moved
      where type is not null
      union all
      select task, at, version, attempt, type, state, worker, data
      from unnest($6::task_event[]) e
      where (e.task in (select id from written)) is true
      union all
      select
        id, $18::bigint, version, attempt, case state when 'running' then 'task.assigned' else 'task.claimed' end,
        state, worker, null
      from claimed
    )
    select
      null::integer,
      count(*)::integer,
      (select count(*) from candidates)::integer,
      (select cardinality(takers) from slots),
      (select count(*) from horizon)::integer,
      case when count(*) < cardinality($7::uuid[]) then coalesce(array_agg(id), '{}')::text end,
      null, null::integer, null::uuid, null::integer, null, null::integer, null, null::uuid, null::uuid, null, null,
      null, null::bigint, null
    from written
    union all
    select
      c.slot, c.taker, c.version, c.attempt, c.failures, c.checkpoint, c.children, c.losses, c.id, t.lane, t.room,
      t.priority, t.policy, t.parent, t.retry_of, t.submitter, t.checksum, t.logs, t.created_at, t.payload
    from claimed c
    left join task t on t.id = c.id and t.id >= $20::uuid`,
};

export function valuesInOrder(values: ExchangeValues): (string | number | null)[] {
  return [
    ...[values.ended, values.endedResults, values.endedData, values.moved, values.movedData, values.events],
    ...[values.named, values.locked, values.lanes, values.rooms, values.depth, values.window],
    ...[values.takers, values.limits, values.assigns, values.dueMs, values.leaseMs],
    ...[values.now, values.ticket, values.cardsFrom],
  ];
}
