// Everything the store knows. One entry per task holds all there is about it; the orders and sets beside the entries
// only say where to look, and only this file changes them.

import { rankOf } from "../../core/lane.ts";
import { laterLease } from "../../core/lease.ts";
import type { MarkChunk } from "../../core/marks.ts";
import type { Pause } from "../../core/pause.ts";
import type { FailureCount, Statistic } from "../../core/statistics.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import { isDeferred, isFinal, newTaskRow, type Outcome, submittedEvent, type TaskRow } from "../../core/task-row.ts";
import type {
  AuditEntry,
  CommandRecord,
  IdempotencyKey,
  JobRecord,
  Lane,
  LogLine,
  NewTask,
  NodeRecord,
  OutboxItem,
  ProviderRecord,
  Refusal,
  TaskCard,
  TaskWrite,
  TokenRecord,
  WorkerEvent,
  WorkerRecord,
} from "../../ports/records.ts";
import type { ProviderResult } from "../../ports/result-store.ts";
import { frozenCopy } from "./frozen-copy.ts";
import { compareText, type SortedList, sortedList } from "./sorted-list.ts";

/** All there is about a task. The row stays when the task is final. */
export interface Entry {
  readonly card: TaskCard;
  readonly payload: string;
  readonly rank: number;
  row: TaskRow;
  outcome: Outcome | null;
  readonly events: TaskEvent[];
  readonly refusals: (Refusal & { readonly times: number })[];
  readonly logs: LogLine[];
  /** The version of which a message broker has a message, and since when. */
  message: { readonly version: number; readonly at: number } | null;
  /** By number of the chunk. */
  readonly marks: Map<number, MarkChunk>;
}

/** The open tasks of a lane. */
export interface Shelf {
  /** In claim order. */
  readonly ready: SortedList<Entry>;
  delayed: number;
  held: number;
  deferred: number;
}

/** A row of the catalog, with the revision that wrote it. */
export interface Stamped<T> {
  readonly record: T;
  readonly revision: number;
}

/** What a provider answered. */
export interface Kept extends ProviderResult {
  readonly at: number;
  readonly expiresAt: number;
}

/** What was counted; what is of one span of time, room and job is one. */
export interface Statistics {
  readonly statistics: readonly Statistic[];
  readonly failures: readonly FailureCount[];
}

export interface Memory {
  readonly tasks: Map<string, Entry>;
  readonly byId: SortedList<string>;
  readonly shelves: Map<number, Shelf>;
  /** By the time they become ready, then id. */
  readonly delayed: SortedList<Entry>;
  /** By deadline, then id. */
  readonly due: SortedList<Entry>;
  /** Open tasks by the worker that holds them. */
  readonly held: Map<string, Set<Entry>>;
  /** Open and final tasks by their parent. */
  readonly children: Map<string, Set<Entry>>;
  readonly jobs: Map<string, Stamped<JobRecord>>;
  readonly lanes: Map<number, Stamped<Lane>>;
  readonly laneIds: Map<string, number>;
  readonly workers: Map<string, Stamped<WorkerRecord>>;
  catalog: number;
  readonly keys: Map<string, IdempotencyKey>;
  readonly outbox: Map<string, OutboxItem>;
  workerEvents: WorkerEvent[];
  /** By kind and name. */
  readonly pauses: Map<string, Stamped<Pause>>;
  readonly commands: Map<string, CommandRecord>;
  /** By id. */
  readonly audit: Map<string, AuditEntry>;
  readonly tokens: Map<string, TokenRecord>;
  /** By id. */
  readonly providers: Map<string, ProviderRecord>;
  /** By provider, then hash. */
  readonly answers: Map<string, Map<string, Kept>>;
  readonly asked: Map<string, Map<string, number>>;
  /** Of minutes and of hours. */
  minutes: Statistics;
  hours: Statistics;
  /** What is known of failures that are alike, of all times. */
  kinds: readonly FailureCount[];
  readonly nodes: Map<string, NodeRecord>;
  leader: { readonly node: string; readonly until: number } | null;
}

export function emptyMemory(): Memory {
  return {
    tasks: new Map(),
    byId: sortedList(compareText),
    shelves: new Map(),
    delayed: sortedList(by((entry) => entry.row.runAt as number)),
    due: sortedList(by((entry) => entry.row.dueAt as number)),
    held: new Map(),
    children: new Map(),
    jobs: new Map(),
    lanes: new Map(),
    laneIds: new Map(),
    workers: new Map(),
    catalog: 0,
    keys: new Map(),
    outbox: new Map(),
    workerEvents: [],
    pauses: new Map(),
    commands: new Map(),
    audit: new Map(),
    tokens: new Map(),
    providers: new Map(),
    answers: new Map(),
    asked: new Map(),
    minutes: { statistics: [], failures: [] },
    hours: { statistics: [], failures: [] },
    kinds: [],
    nodes: new Map(),
    leader: null,
  };
}

export function insertTask(memory: Memory, task: NewTask): void {
  const card = frozenCopy(task.card);
  const row = Object.freeze(newTaskRow(card.id, card.createdAt, task.runAt));
  const events = [Object.freeze(submittedEvent(row))];
  const entry: Entry = {
    ...{ card, payload: task.payload, rank: rankOf(card.priority), row, outcome: null },
    ...{ events, refusals: [], logs: [], message: null, marks: new Map() },
  };
  memory.tasks.set(card.id, entry);
  memory.byId.add(card.id);
  if (card.parent !== null) addTo(memory.children, card.parent, entry);
  shelve(memory, entry);
}

/** The open task, if it is still as the writer knew it. */
export function standing(memory: Memory, write: TaskWrite): Entry | null {
  const entry = openTask(memory, write.next.id);
  return entry?.row.version === write.expected ? entry : null;
}

export function changeTask(memory: Memory, entry: Entry, write: Omit<TaskWrite, "expected">): void {
  const { dueAt, activeAt } = write.next;
  const leasedUntil = laterLease(entry.row, write.next);
  const isMove = write.events.length > 0;
  entry.events.push(...write.events.map(frozenCopy));
  entry.outcome = frozenCopy(write.outcome);
  replaceRow(
    memory,
    entry,
    isMove ? { ...frozenCopy(write.next), leasedUntil } : { ...entry.row, dueAt, leasedUntil, activeAt },
  );
}

export function replaceRow(memory: Memory, entry: Entry, row: TaskRow): void {
  unshelve(memory, entry);
  entry.row = Object.freeze(row);
  shelve(memory, entry);
}

export function removeTask(memory: Memory, entry: Entry): void {
  unshelve(memory, entry);
  memory.tasks.delete(entry.card.id);
  memory.byId.remove(entry.card.id);
  if (entry.card.parent !== null) removeFrom(memory.children, entry.card.parent, entry);
}

export function openTask(memory: Memory, id: string): Entry | undefined {
  const entry = memory.tasks.get(id);
  return entry === undefined || isFinal(entry.row.state) ? undefined : entry;
}

export function isAlive(memory: Memory, worker: string): boolean {
  const session = memory.workers.get(worker)?.record.session;
  return session !== undefined && session.lostAt === null && session.removedAt === null;
}

function shelve(memory: Memory, entry: Entry): void {
  const { state, worker, runAt, dueAt } = entry.row;
  if (isFinal(state)) return;
  const shelf = shelfOf(memory, entry.card.lane);
  if (state === "pending" && runAt === null) shelf.ready.add(entry);
  if (state === "pending" && runAt !== null) {
    shelf.delayed += 1;
    memory.delayed.add(entry);
  }
  if (worker !== null) {
    shelf.held += 1;
    addTo(memory.held, worker, entry);
  }
  if (isDeferred(entry.row)) shelf.deferred += 1;
  if (dueAt !== null) memory.due.add(entry);
}

/** Takes back what `shelve` did for the row as it is; so it comes before the row changes. */
function unshelve(memory: Memory, entry: Entry): void {
  const { state, worker, runAt, dueAt } = entry.row;
  if (isFinal(state)) return;
  const shelf = shelfOf(memory, entry.card.lane);
  if (state === "pending" && runAt === null) shelf.ready.remove(entry);
  if (state === "pending" && runAt !== null) {
    shelf.delayed -= 1;
    memory.delayed.remove(entry);
  }
  if (worker !== null) {
    shelf.held -= 1;
    removeFrom(memory.held, worker, entry);
  }
  if (isDeferred(entry.row)) shelf.deferred -= 1;
  if (dueAt !== null) memory.due.remove(entry);
}

function shelfOf(memory: Memory, lane: number): Shelf {
  const known = memory.shelves.get(lane);
  if (known !== undefined) return known;
  const shelf: Shelf = { ready: sortedList<Entry>(claimOrder), delayed: 0, held: 0, deferred: 0 };
  memory.shelves.set(lane, shelf);
  return shelf;
}

export function claimOrder(a: { readonly rank: number; readonly card: { readonly id: string } }, b: typeof a): number {
  return a.rank - b.rank || compareText(a.card.id, b.card.id);
}

function by(time: (entry: Entry) => number): (a: Entry, b: Entry) => number {
  return (a, b) => time(a) - time(b) || compareText(a.card.id, b.card.id);
}

function addTo<K>(sets: Map<K, Set<Entry>>, key: K, entry: Entry): void {
  const set = sets.get(key);
  if (set === undefined) sets.set(key, new Set([entry]));
  else set.add(entry);
}

function removeFrom<K>(sets: Map<K, Set<Entry>>, key: K, entry: Entry): void {
  const set = sets.get(key);
  set?.delete(entry);
  if (set?.size === 0) sets.delete(key);
}
