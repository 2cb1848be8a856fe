// Rows of the database as records, and back.

import type { Children } from "../../core/family.ts";
import { parsePolicy } from "../../core/policy.ts";
import type { Failure, Outcome, Progress, TaskRow, TaskState } from "../../core/task-row.ts";
import type { TaskCard, TaskRecord } from "../../ports/records.ts";

/** Columns of `task t`, without the payload. */
export const cardColumns = `
      t.id, t.lane, t.room, t.priority, t.policy, t.parent, t.retry_of, t.submitter, t.checksum, t.logs, t.created_at`;

export type CardTuple = readonly [
  id: string,
  lane: number,
  room: string,
  priority: number,
  policy: string | null,
  parent: string | null,
  retryOf: string | null,
  submitter: string | null,
  checksum: string,
  logs: string | null,
  createdAt: number,
];

export function cardOf(tuple: CardTuple): TaskCard {
  const [id, lane, room, priority, policy, parent, retryOf, submitter, checksum, logs, createdAt] = tuple;
  return {
    ...{ id, lane, room, priority, policy: parsePolicy(policy), parent, retryOf, submitter, checksum, logs, createdAt },
  };
}

/** Columns of `open_task o`, without its id. */
export const openColumns = `
      o.state, o.version, o.attempt, o.failures, o.losses, o.worker, o.run_at, o.claimed_at, o.started_at,
      o.leased_until, o.due_at, o.active_at, o.progress, o.children, o.checkpoint`;

export type RowTuple = readonly [
  state: TaskState,
  version: number,
  attempt: number,
  failures: number,
  losses: number,
  worker: string | null,
  runAt: number | null,
  claimedAt: number | null,
  startedAt: number | null,
  leasedUntil: number | null,
  dueAt: number | null,
  activeAt: number,
  progress: string | null,
  children: string | null,
  checkpoint: string | null,
];

export function rowOf(id: string, tuple: RowTuple): TaskRow {
  const [state, version, attempt, failures, losses, worker, runAt, claimedAt, startedAt, ...more] = tuple;
  const [leasedUntil, dueAt, activeAt, progress, children, checkpoint] = more;
  return {
    ...{ id, state, version, attempt, failures, losses, worker, runAt, claimedAt, startedAt, leasedUntil, dueAt },
    activeAt,
    progress: progress === null ? null : (JSON.parse(progress) as Progress),
    children: children === null ? null : (JSON.parse(children) as Children),
    checkpoint,
  };
}

/** Columns of a whole record: `task t`, and either `open_task o` or `outcome x`. */
export const recordColumns = `${cardColumns},
      coalesce(o.state, x.state), coalesce(o.version, x.version), coalesce(o.attempt, x.attempt),
      coalesce(o.failures, x.failures), coalesce(o.losses, x.losses), coalesce(o.worker, x.worker), o.run_at,
      coalesce(o.claimed_at, x.claimed_at), coalesce(o.started_at, x.started_at), o.leased_until, o.due_at,
      coalesce(o.active_at, x.active_at), coalesce(o.progress, x.progress), coalesce(o.children, x.children),
      coalesce(o.checkpoint, x.checkpoint), t.payload, x.finished_at, x.result, x.error, x.fingerprint`;

export type RecordTuple = readonly [
  ...CardTuple,
  ...RowTuple,
  payload: string,
  finishedAt: number | null,
  result: string | null,
  error: string | null,
  fingerprint: string | null,
];

export const recordLength = 31;

export function recordOf(tuple: RecordTuple): TaskRecord {
  const card = cardOf(tuple.slice(0, 11) as unknown as CardTuple);
  const row = rowOf(card.id, tuple.slice(11, 26) as unknown as RowTuple);
  const [payload, ...end] = tuple.slice(26) as [string, ...EndTuple];
  return { card, row, payload, outcome: outcomeOf(row.state, end) };
}

type EndTuple = [finishedAt: number | null, result: string | null, error: string | null, fingerprint: string | null];

function outcomeOf(state: TaskState, [finishedAt, result, error, fingerprint]: EndTuple): Outcome | null {
  if (finishedAt === null) return null;
  const failure = error === null ? null : (JSON.parse(error) as Failure);
  const known = fingerprint === null ? {} : { fingerprint };
  return { state: state as Outcome["state"], result, error: failure, finishedAt, ...known };
}
