// Submitting many calls, in one statement: each is looked at under the locks of what decides about it, and those that
// pass are inserted, all of a call or none.

import type { Statement } from "./statement.ts";

/** In the order of the statement's parameters. Calls are numbered from 0. */
export interface SubmitValues {
  /** The jobs of the calls, each once, in order of name; then what each call thinks of them. */
  readonly jobNames: string;
  readonly jobCalls: string;
  readonly jobWanted: string;
  readonly jobRevisions: string;
  /** The parents of the tasks, each once, in order of id; then which call wants which. */
  readonly parents: string;
  readonly parentCalls: string;
  readonly parentWanted: string;
  /** Keys in order of scope and key. */
  readonly keyCalls: string;
  readonly keyScopes: string;
  readonly keys: string;
  readonly keyHashes: string;
  readonly keyAnswers: string;
  readonly keyTimes: string;
  /** Rows of new_task, and their payloads. */
  readonly tasks: string;
  readonly payloads: string;
  readonly outboxCalls: string;
  readonly outboxIds: string;
  readonly outboxKinds: string;
  readonly outboxKeys: string;
  readonly outboxData: string;
  readonly outboxTimes: string;
}

/** Why a call was refused: only refusals are told. `nth` counts the jobs, or the parents, of all calls together. */
export type SubmitRow = readonly [
  why: "repeated" | "conflict" | "job-changed" | "parent-closed",
  call: number,
  nth: number,
  job: string,
  bodyHash: string | null,
  answer: string | null,
  at: number | null,
];

/**
 * A key that someone else is inserting at this moment is waited for. If it was committed, this statement cannot see it
 * yet: that is a "conflict", and the first record is read afterwards.
 */
export const submitTasks: Statement = {
  name: "submit_tasks",
  text: `
    with
    current_job as materialized (
      select j.name, j.revision
      from unnest($1::text[]) with ordinality n (name, nth)
      join job j on j.name = n.name
      where not j.deleted
      order by n.nth
      for share of j
    ),
    open_parent as materialized (
      select o.id
      from unnest($5::uuid[]) with ordinality n (id, nth)
      join open_task o on o.id = n.id
      order by n.nth
      for share of o
    ),
    wanted_key as materialized (
      select call, scope, key, body_hash, answer, at
      from unnest($8::integer[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[])
        k (call, scope, key, body_hash, answer, at)
    ),
    used_key as materialized (
      select k.call, i.body_hash, i.answer, i.at
      from wanted_key k
      join idempotency i on i.scope = k.scope and i.key = k.key
    ),
    changed_job as materialized (
      select call, nth, name
      from unnest($2::integer[], $3::text[], $4::bigint[]) with ordinality w (call, name, revision, nth)
      where (name, revision) not in (select name, revision from current_job)
    ),
    closed_parent as materialized (
      select call, nth, id
      from unnest($6::integer[], $7::uuid[]) with ordinality w (call, id, nth)
      where id not in (select id from open_parent)
    ),
    refused as materialized (
      select call from used_key
      union all
      select call from changed_job
      union all
      select call from closed_parent
    ),
    new_key as (
      insert into idempotency (scope, key, body_hash, answer, at)
      select scope, key, body_hash, answer, at
      from wanted_key
      where call not in (select call from refused)
      on conflict (scope, key) do nothing
      returning scope, key
    ),
    lost_key as materialized (
      select call
      from wanted_key
      where call not in (select call from refused)
        and (scope, key) not in (select scope, key from new_key)
    ),
    left_out as materialized (
      select call from refused
      union all
      select call from lost_key
    ),
    fresh as materialized (
      select t.*
      from unnest($14::new_task[], $15::text[]) t (
        call, id, parent, retry_of, created_at, run_at, due_ms, lane, priority, rank, room, policy, submitter, checksum,
        logs, event_data, payload
      )
      where t.call not in (select call from left_out)
    ),
    cards as (
      insert into task (
        id, parent, retry_of, created_at, lane, priority, room, policy, submitter, checksum, logs, payload
      )
      select id, parent, retry_of, created_at, lane, priority, room, policy, submitter, checksum, logs, payload
      from fresh
    ),
    lines as (
      insert into open_task (
        id, parent, active_at, run_at, due_ms, lane, place, version, attempt, failures, losses, state
      )
      select
        id, parent, created_at, run_at, due_ms, lane,
        int4send(rank # '-2147483648'::integer) || uuid_send(id), 1, 0, 0, 0, 'pending'
      from fresh
    ),
    history as (
      insert into task_event (task, at, version, attempt, type, state, data)
      select id, created_at, 1, 0, 'task.submitted', 'pending', event_data
      from fresh
    ),
    effects as (
      insert into outbox (id, kind, key, data, at)
      select id, kind, key, data, at
      from unnest($16::integer[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[])
        e (call, id, kind, key, data, at)
      where call not in (select call from left_out)
      on conflict (id) do update
      set kind = excluded.kind, key = excluded.key, data = excluded.data, at = excluded.at
    )
    select 'repeated', call, 0, '', body_hash, answer, at
    from used_key
    union all
    select 'conflict', call, 0, '', null, null, null
    from lost_key
    union all
    select 'job-changed', call, nth::integer, name, null, null, null
    from changed_job
    union all
    select 'parent-closed', call, nth::integer, '', null, null, null
    from closed_parent`,
};

export function valuesInOrder(values: SubmitValues): string[] {
  return [
    ...[values.jobNames, values.jobCalls, values.jobWanted, values.jobRevisions],
    ...[values.parents, values.parentCalls, values.parentWanted],
    ...[values.keyCalls, values.keyScopes, values.keys, values.keyHashes, values.keyAnswers, values.keyTimes],
    ...[values.tasks, values.payloads],
    ...[values.outboxCalls, values.outboxIds, values.outboxKinds, values.outboxKeys, values.outboxData],
    values.outboxTimes,
  ];
}
