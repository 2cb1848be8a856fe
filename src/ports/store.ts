// What the engine needs from a database. Stores remember, they do not decide: the rows they are given were decided by
// core/. Every mutating method takes many and answers for each, and is one transaction; no answer before its commit.
// A store throws Problem("store-unavailable") or Problem("store-full") when nothing was written and a retry helps.

import type { LaneKey } from "../core/lane.ts";
import type { MarkChunk } from "../core/marks.ts";
import type { Pause } from "../core/pause.ts";
import type { Promoted, Pulse, PulseRequest } from "./pulse.ts";
import type {
  AuditEntry,
  ClaimedTask,
  CommandRecord,
  IdempotencyKey,
  JobRecord,
  JobView,
  Lane,
  LogLine,
  Message,
  NewTask,
  OpenTask,
  OutboxItem,
  ProviderRecord,
  Refusal,
  TaskWrite,
  TokenRecord,
  WorkerEvent,
  WorkerRecord,
} from "./records.ts";
import type { ResultStore } from "./result-store.ts";
import type { StatisticStore } from "./statistic-store.ts";
import type { Find } from "./store-finds.ts";
import type { Reads } from "./store-reads.ts";

/** What the engine needs from a database; its promise is a contract of `leadhand/testing`. */
export interface Store {
  /** Opens the database and brings it up to date. */
  start(): Promise<StoreInfo>;
  /** May be called twice; returns when all is quiet. */
  stop(): Promise<void>;

  /**
   * Inserts the tasks of each call with their first events, all of a call or none. Refusals are looked for in this
   * order: the key was used, by an earlier call of the batch too; a job changed or went; a parent is not open.
   */
  submit(calls: readonly SubmitCall[]): Promise<SubmitAnswer[]>;

  /**
   * Settles and claims in one step: writes what was decided about held tasks, where the version still stands, and
   * takes ready tasks for the demands one after the other, in order of rank, then id. No task may appear in two
   * writes, and none of them is handed out by the same call. Mirrors "claim" and "assign" of core/task.ts.
   */
  exchange(writes: readonly TaskWrite[], demands: readonly Demand[], now: number): Promise<ExchangeAnswer>;

  /**
   * The general change: locks the named rows in the order jobs, workers, providers, parents, tasks, outbox, each by
   * id; shows them to `decide`; writes what it returns. `decide` is pure and may be called again when the database asks
   * for it. Where it asks for more, it is called again with that in its view; no lock was let go in between.
   */
  amend<T>(scope: AmendScope, decide: Decide<T>): Promise<Amended<T>>;

  /** Lines that stand beside the machine. */
  append(lines: Lines): Promise<void>;

  /**
   * Signs of life: no session goes back in time. Answers with those workers whose session is fenced, removed or
   * unknown, in the order asked for. A session that is overdue but not yet fenced lives on.
   */
  beat(beats: readonly Beat[]): Promise<string[]>;

  /** One statement a second: renews the node's row and its leadership, and reads what every server must know. */
  pulse(node: PulseRequest): Promise<Pulse>;

  /**
   * Notes that a message broker has a message for each of these tasks, as they were at that version, and since when; of
   * several the newest version, and of that the last, counts. Whoever is ready and has no such note since its last change
   * (lastChange of core/ready-at.ts) is to be told of: so no move can forget to ask for a message, and no crash can lose one.
   */
  confirm(messages: readonly Message[], at: number): Promise<void>;

  /** Makes due delayed tasks ready, in order of their time, then id. No move: the version stays. */
  promote(now: number, limit: number): Promise<Promoted>;

  /**
   * Removes a slice of what retention no longer keeps. Answers how many rows went: tasks, keys, worker events, workers, audit
   * entries, commands and sessions. What is noted of messages for tasks that have ended goes as well; nobody can see it, nor is it
   * counted. A task of which that is very much goes with a later slice, and this one answers as if it were full.
   */
  prune(slice: PruneSlice): Promise<number>;

  /** Candidates for the sweep: a look without locks, so whoever acts on it looks again under a lock. */
  find<K extends keyof Find>(kind: K, query: Find[K]["query"]): Promise<Find[K]["answer"]>;

  read<K extends keyof Reads>(kind: K, query: Reads[K]["query"]): Promise<Reads[K]["answer"]>;

  readonly results: ResultStore;

  readonly statistics: StatisticStore;
}

export interface StoreInfo {
  readonly kind: "memory" | "sqlite" | "postgres";
  /** Lease tokens are computed from it; the same on every server of one database. */
  readonly secret: string;
  /** How many exchanges may be under way at once. */
  readonly width: number;
  /** Whether other servers may write to the same database. */
  readonly shared: boolean;
}

export interface SubmitCall {
  readonly tasks: readonly NewTask[];
  /** The jobs the tasks are for, as the caller knows them: refused if one has changed or gone since. */
  readonly jobs: readonly { readonly name: string; readonly revision: number }[];
  readonly key: IdempotencyKey | null;
  readonly outbox: readonly OutboxItem[];
  /** Whose act it was, where that is worth an entry. Not written where the call is refused. */
  readonly audit?: readonly AuditEntry[];
}

export type SubmitAnswer =
  | { readonly kind: "accepted" }
  | { readonly kind: "job-changed"; readonly job: string }
  | { readonly kind: "parent-closed"; readonly parent: string }
  /** The key was used before; nothing was inserted. */
  | { readonly kind: "repeated"; readonly first: IdempotencyKey };

/** Tasks wanted from the same lanes. */
export interface Demand {
  readonly lanes: readonly number[];
  /** Those among `lanes` with a maxRunning, which the store enforces under the lane's lock: tasks with a worker count. */
  readonly limited: readonly number[];
  /** Served in this order, each up to its limit. A taker whose session is not alive gets nothing. */
  readonly takers: readonly Taker[];
}

export interface Taker {
  readonly worker: string;
  readonly limit: number;
  /** Claim and start in one move. */
  readonly assign: boolean;
  /** profileDueMs of the worker's profile, and its lease; see core/deadline.ts. */
  readonly dueMs: number | null;
  readonly leaseMs: number | null;
}

export interface ExchangeAnswer {
  /** For each write, whether it was the one that counted. */
  readonly written: readonly boolean[];
  /** For each demand, for each taker: what it got. */
  readonly claimed: readonly (readonly (readonly ClaimedTask[])[])[];
}

export interface Beat {
  readonly worker: string;
  readonly at: number;
  /** How the worker is, as JSON text; absent or null: as it said before. */
  readonly status?: string | null;
}

export interface AmendScope {
  readonly jobs?: readonly string[];
  readonly workers?: readonly string[];
  /** By full name; one that does not exist yet is kept from being made by anyone else. */
  readonly providers?: readonly string[];
  /** All providers of these workers. */
  readonly providersOf?: readonly string[];
  /** Tasks in the hands of these workers, at most `rowsMax`. */
  readonly heldBy?: readonly string[];
  /** Open tasks to lock before `tasks`. */
  readonly parents?: readonly string[];
  readonly tasks?: readonly string[];
  readonly outbox?: readonly string[];
  /** Whoever writes a pause names it here: pauses of one thing come one after the other. */
  readonly pauses?: readonly Pick<Pause, "kind" | "name">[];
  /** Marks of `tasks`, locked after them. */
  readonly marks?: readonly Pick<MarkChunk, "task" | "chunk">[];
  /** Whoever takes tasks of lanes with a maxRunning names them: locked after `tasks`. */
  readonly lanes?: readonly number[];
  /** By id. */
  readonly tokens?: readonly string[];
}

/** At most so many tasks in one transaction. */
export const rowsMax = 1_000;

export interface AmendView {
  readonly jobs: ReadonlyMap<string, JobView>;
  readonly workers: ReadonlyMap<string, WorkerRecord>;
  /** By full name. */
  readonly providers: ReadonlyMap<string, ProviderRecord>;
  /** Those of the scope that are open. */
  readonly tasks: ReadonlyMap<string, OpenTask>;
  /** Those of the scope that are still to be done: whoever acts on one that is gone would do it twice. */
  readonly outbox: ReadonlySet<string>;
  /** By pauseKey, also those that are over. */
  readonly pauses: ReadonlyMap<string, Pause>;
  /** By markKey; those of the scope that were written before. */
  readonly marks: ReadonlyMap<string, MarkChunk>;
  /** For lanes of the scope with a maxRunning: how many more of their tasks may have a worker. */
  readonly rooms: ReadonlyMap<number, number>;
  readonly tokens: ReadonlyMap<string, TokenRecord>;
  /** For each task whose family was asked for: whether it has an open child that the scope does not name. */
  readonly families: ReadonlyMap<string, boolean>;
}

export type Decide<T> = (view: AmendView) => Amendment<T> | Question;

/** No decision yet: the view lacks the families of these tasks, which only few decisions need to know. */
export interface Question {
  readonly families: readonly string[];
}

export interface Amendment<T> {
  readonly answer: T;
  readonly jobs?: readonly JobRecord[];
  /** Made if they do not exist. */
  readonly lanes?: readonly LaneKey[];
  readonly laneLimits?: readonly {
    readonly lane: number;
    readonly paused: boolean;
    readonly maxRunning: number | null;
  }[];
  /** Whole records, links and session included; inserted or replaced. A removed worker stays as a tombstone until pruned. */
  readonly workers?: readonly WorkerRecord[];
  /** Providers of the scope only, inserted or replaced by id. What one answered before, or was being asked, is forgotten. */
  readonly providers?: readonly ProviderRecord[];
  /** By id, of the scope only; they go with all they answered. */
  readonly providersGone?: readonly string[];
  /** Tasks of the scope only. */
  readonly tasks?: readonly TaskWrite[];
  readonly outbox?: readonly OutboxItem[];
  readonly outboxDone?: readonly string[];
  /** One that was used before stays as it is. */
  readonly keys?: readonly IdempotencyKey[];
  readonly workerEvents?: readonly WorkerEvent[];
  /** By kind and name, inserted or replaced. The end of one that another has replaced ends nothing. */
  readonly pauses?: readonly Pause[];
  /** Inserted or replaced by id. What was delivered or acknowledged stays so, since the first time. */
  readonly commands?: readonly CommandRecord[];
  readonly audit?: readonly AuditEntry[];
  /** Of the scope only, inserted or replaced. They go when their task is pruned. */
  readonly marks?: readonly MarkChunk[];
  /** Inserted or replaced by id. Once revoked, a token stays revoked since then, whatever is written later. */
  readonly tokens?: readonly TokenRecord[];
}

export interface Amended<T> {
  readonly answer: T;
  /** For each lane key asked for, the lane that stands for it. */
  readonly lanes: readonly Lane[];
}

export interface Lines {
  readonly logs?: readonly LogLine[];
  readonly workerEvents?: readonly WorkerEvent[];
  readonly refusals?: readonly Refusal[];
}

export interface PruneSlice {
  /** These tasks go if they are final, whatever their age. */
  readonly tasks: readonly string[];
  /** Whose act that is; written where at least one of them went. */
  readonly audit?: readonly AuditEntry[];
  /** Final tasks that ended before then go, with their history and logs; children of open parents stay. */
  readonly finishedBefore: number | null;
  readonly keysBefore: number;
  readonly workerEventsBefore: number | null;
  /** Entries of the audit, and commands, that were made before then. */
  readonly auditBefore: number | null;
  /** Tombstones of workers removed before then go, unless a task is still in their hands. */
  readonly workersBefore: number | null;
  /** Sessions, and codes for them, that ended before then go, and API tokens never. */
  readonly sessionsBefore: number | null;
  readonly limit: number;
}
