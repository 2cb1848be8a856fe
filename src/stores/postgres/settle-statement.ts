// What was decided about held tasks, in one statement: written where the version still stands, with its history.
//
// Tasks are found by id and compared by version, never by state: beside an index on that state, old statistics would
// choose it for the search.

import type { Statement } from "./statement.ts";

/** In the order of the statement's parameters. */
export interface SettleValues {
  /** Rows of task_write for tasks that end, in order of id, with their results and the data of their events. */
  readonly ended: string;
  readonly endedResults: string | null;
  readonly endedData: string | null;
  /** The same for tasks that stay open. */
  readonly moved: string;
  readonly movedData: string | null;
  /** Rows of task_event: those before the last of a write. */
  readonly events: string;
  /** To be locked first, in order of id. */
  readonly locked: string;
  readonly count: number;
  /** Of those that end. */
  readonly fingerprints: string | null;
}

/** The ids only where some were not written. */
export type SettleRow = readonly [written: number, ids: string | null];

export const settleTasks: Statement = {
  name: "settle_tasks",
  text: `
    with
    held as materialized (
      select o.id
      from unnest($7::uuid[]) with ordinality h (id, nth)
      join open_task o on o.id = h.id
      order by h.nth
      for update of o
    ),
    ended as (
      delete from open_task o
      using unnest($1::task_write[], $2::text[], $3::text[], $9::text[]) w (
        id, expected, version, attempt, failures, losses, active_at, run_at, claimed_at, started_at, leased_until,
        due_at, state, worker, progress, children, checkpoint, error, finished_at, event_worker, type, result, data,
        fingerprint
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
        -- Mirrors laterLease of core/lease.ts: an extension has kept the version.
        leased_until = case
          when o.worker is not distinct from w.worker and o.attempt = w.attempt and o.leased_until > w.leased_until
            then o.leased_until
          else w.leased_until
        end,
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
        progress, children, checkpoint, result, error, fingerprint
      )
      select
        id, coalesce(finished_at, active_at), active_at, claimed_at, started_at, version, attempt, failures, losses,
        state, worker, progress, children, checkpoint, result, error, fingerprint
      from ended
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
    )
    select count(*)::integer, case when count(*) < $8::integer then coalesce(array_agg(id), '{}')::text end
    from written`,
};

export function settleValuesInOrder(values: SettleValues): (string | number | null)[] {
  const { ended, endedResults, endedData, moved, movedData, events, locked, count, fingerprints } = values;
  return [ended, endedResults, endedData, moved, movedData, events, locked, count, fingerprints];
}
