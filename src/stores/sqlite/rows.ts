// Rows as SQLite gives them, and the records they stand for. The columns of a select and the places of its tuple are
// kept here side by side.

import type { Children, Patience } from "../../core/family.ts";
import { type Policy, parsePolicy, policyText } from "../../core/policy.ts";
import type { EventType, TaskEvent } from "../../core/task-event.ts";
import type { FinalState, Outcome, Progress, TaskRow, TaskState } from "../../core/task-row.ts";
import type { NewTask, OpenTask, TaskCard, TaskRecord } from "../../ports/records.ts";
import type { Value } from "./statement.ts";

type Text = string | null;
type Whole = number | null;
type Rest = readonly (Text | Whole)[];

export const cardColumns = `
  t.id, t.lane, t.room, t.priority, t.policy, t.parent, t.retry_of, t.submitter, t.checksum, t.logs, t.created_at`;

export type CardValues = [string, number, string, number, Text, Text, Text, Text, string, Text, number];

export function cardOf(values: readonly [...CardValues, ...Rest]): TaskCard {
  return {
    id: values[0],
    lane: values[1],
    room: values[2],
    priority: values[3],
    policy: parsePolicy(values[4]),
    parent: values[5],
    retryOf: values[6],
    submitter: values[7],
    checksum: values[8],
    logs: values[9],
    createdAt: values[10],
  };
}

export const taskColumns = 12;

export function taskValues({ card, payload }: NewTask): Value[] {
  return [
    card.id,
    card.lane,
    card.room,
    card.priority,
    policyText(card.policy as Policy),
    card.parent,
    card.retryOf,
    card.submitter,
    card.checksum,
    card.logs,
    card.createdAt,
    payload,
  ];
}

/** Of an open task `o`. */
export const openColumns = `
  o.state, o.version, o.attempt, o.failures, o.losses, o.worker, o.run_at, o.claimed_at, o.started_at, o.leased_until,
  o.due_at, o.active_at, o.progress, o.children_total, o.children_done, o.children_failed, o.patience, o.checkpoint,
  o.children_more`;

/** Of a task that is open, `o`, or has ended, `r`: one of the two is there. */
export const rowColumns = `
  coalesce(o.state, r.state), coalesce(o.version, r.version), coalesce(o.attempt, r.attempt),
  coalesce(o.failures, r.failures), coalesce(o.losses, r.losses), coalesce(o.worker, r.worker),
  o.run_at, coalesce(o.claimed_at, r.claimed_at), coalesce(o.started_at, r.started_at), o.leased_until,
  o.due_at, coalesce(o.active_at, r.finished_at), coalesce(o.progress, r.progress),
  coalesce(o.children_total, r.children_total), coalesce(o.children_done, r.children_done),
  coalesce(o.children_failed, r.children_failed), o.patience, coalesce(o.checkpoint, r.checkpoint),
  coalesce(o.children_more, r.children_more)`;

type RowValues = [
  ...[state: TaskState, version: number, attempt: number, failures: number, losses: number, worker: Text],
  ...[runAt: Whole, claimedAt: Whole, startedAt: Whole, leasedUntil: Whole, dueAt: Whole, activeAt: number],
  ...[progress: Text, total: Whole, done: Whole, failed: Whole, patience: Text, checkpoint: Text],
  childrenMore: Text,
];

export type OpenValues = [...CardValues, ...RowValues];

export function openTaskOf(values: readonly [...OpenValues, ...Rest]): OpenTask {
  const row: TaskRow = {
    id: values[0],
    state: values[11],
    version: values[12],
    attempt: values[13],
    failures: values[14],
    losses: values[15],
    worker: values[16],
    runAt: values[17],
    claimedAt: values[18],
    startedAt: values[19],
    leasedUntil: values[20],
    dueAt: values[21],
    activeAt: values[22],
    progress: values[23] === null ? null : (JSON.parse(values[23]) as Progress),
    children: childrenOf(values[24], values[25], values[26], values[27], values[29]),
    checkpoint: values[28],
  };
  return { card: cardOf(values), row };
}

/** `more` is all there is beside the counters and the patience. */
export function childrenOf(total: Whole, done: Whole, failed: Whole, patience: Text, more: Text): Children | null {
  if (done === null || failed === null) return null;
  const children = { total, done, failed, patience: patience === null ? null : (JSON.parse(patience) as Patience) };
  return more === null ? children : { ...children, ...(JSON.parse(more) as Partial<Children>) };
}

export const outcomeColumns = "r.state, r.finished_at, r.result, r.error, r.error_code, r.error_details, r.fingerprint";
export const bareOutcomeColumns = "r.state, r.finished_at, null, r.error, r.error_code, null, r.fingerprint";

export type RecordValues = [
  ...OpenValues,
  payload: string,
  ...[state: FinalState | null, finishedAt: Whole, result: Text, error: Text, code: Text, details: Text],
  fingerprint: Text,
];

export function recordOf(values: RecordValues): TaskRecord {
  const { card, row } = openTaskOf(values);
  return { card, row, payload: values[30], outcome: outcomeOf(values) };
}

function outcomeOf(values: RecordValues): Outcome | null {
  const [state, finishedAt, result, ...more] = values.slice(31) as [FinalState, number, ...Text[]];
  const [message, code, details, fingerprint] = more;
  if (state === null) return null;
  const error = message == null ? null : { message, code: code ?? null, details: details ?? null };
  return { state, result: result ?? null, error, finishedAt, ...(fingerprint != null && { fingerprint }) };
}

/** The changing columns of an open task, in the order of `openColumns`. */
export function rowValues(row: TaskRow): Value[] {
  return [
    row.state,
    row.version,
    row.attempt,
    row.failures,
    row.losses,
    row.worker,
    row.runAt,
    row.claimedAt,
    row.startedAt,
    row.leasedUntil,
    row.dueAt,
    row.activeAt,
    ...keptValues(row),
    patienceText(row),
    row.checkpoint,
    moreText(row),
  ];
}

/** What a task keeps to the end: its progress and its children's counters; its checkpoint too. */
function keptValues({ progress, children }: TaskRow): [Text, Whole, Whole, Whole] {
  const said = progress === null ? null : JSON.stringify(progress);
  if (children === null) return [said, null, null, null];
  return [said, children.total, children.done, children.failed];
}

function patienceText({ children }: TaskRow): Text {
  return children === null || children.patience === null ? null : JSON.stringify(children.patience);
}

function moreText({ children }: TaskRow): Text {
  if (children === null) return null;
  const apart = { total: undefined, done: undefined, failed: undefined, patience: undefined };
  const text = JSON.stringify({ ...children, ...apart });
  return text === "{}" ? null : text;
}

export const outcomeWidth = 21;

/** Adds the values of one outcome to those of others: a list for each would cost as much again. */
export function addOutcome(values: Value[], row: TaskRow, outcome: Outcome): void {
  const { state, finishedAt, result, error, fingerprint = null } = outcome;
  const { progress, children } = row;
  values.push(
    row.id,
    state,
    row.version,
    row.attempt,
    row.failures,
    row.losses,
    row.worker,
    row.claimedAt,
    row.startedAt,
    finishedAt,
    result,
    error === null ? null : error.message,
    error === null ? null : error.code,
    error === null ? null : error.details,
    progress === null ? null : JSON.stringify(progress),
    children === null ? null : children.total,
    children === null ? null : children.done,
    children === null ? null : children.failed,
    row.checkpoint,
    moreText(row),
    fingerprint,
  );
}

export const eventColumns = "task, version, at, type, state, attempt, worker, data";
export const eventWidth = 8;

export type EventValues = [string, number, number, EventType, TaskState, number, Text, Text];

export function eventOf([task, version, at, type, state, attempt, worker, data]: EventValues): TaskEvent {
  return { task, version, at, type, state, attempt, worker, data };
}

/** Adds the values of one event to those of others. */
export function addEvent(values: Value[], event: TaskEvent): void {
  const { task, version, at, type, state, attempt, worker, data } = event;
  values.push(task, version, at, type, state, attempt, worker, data);
}
