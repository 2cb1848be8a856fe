// Questions to a store. Lists are bounded: a page, and a total that is exact up to a limit and flagged beyond it.

import type { AlertSeverity } from "../core/alert.ts";
import type { Pause } from "../core/pause.ts";
import type { TokenKind } from "../core/session.ts";
import type { TaskEvent } from "../core/task-event.ts";
import type { TaskPick } from "../core/task-pick.ts";
import type { TaskState } from "../core/task-row.ts";
import type {
  AuditEntry,
  CommandRecord,
  IdempotencyKey,
  JobRecord,
  Lane,
  LogLine,
  NodeRecord,
  ProviderRecord,
  Refusal,
  TaskRecord,
  TokenRecord,
  WorkerEvent,
  WorkerRecord,
} from "./records.ts";
import type { StatisticReads } from "./statistic-store.ts";
import type { StoreSize } from "./store-size.ts";

export const totalMax = 10_000;
export const positionMax = 1_000;
export const holdingsMax = 1_000;
export const roomDepthsMax = 10_000;

/** Of how many tasks that ended in a worker's hands it is counted which. */
export const workDoneMax = 1_000;

export interface PageQuery {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
  readonly totalExact: boolean;
}

export interface TaskFilter {
  readonly rooms?: readonly string[];
  readonly lanes?: readonly number[];
  readonly state?: TaskState;
  readonly parent?: string;
  /** In its hands, or ended in them. */
  readonly worker?: string;
}

/** A look at some of the tasks, newest first, for those that are picked. Whoever wants more looks again, from where it ended. */
export interface TaskScan {
  readonly pick: TaskPick;
  /** Below this id: where an earlier look ended. Null: from the newest on. */
  readonly before: string | null;
  /** Looks at so many tasks, or a few more; at fewer where it would have to read very long texts. */
  readonly rows: number;
  /** Finds no more than this; at least one. */
  readonly limit: number;
  /** What is to be told of each; "bare" is the record without its payload, result and details. */
  readonly want: "ids" | "states" | "bare" | "whole";
}

export interface FoundTask {
  readonly id: string;
  /** Null where only ids were wanted. */
  readonly state: TaskState | null;
  /** Null unless records were wanted. */
  readonly record: TaskRecord | null;
}

export interface Scanned {
  readonly found: readonly FoundTask[];
  /** Where the look ended; null where there is nothing further on. */
  readonly through: string | null;
  /** How many were looked at. */
  readonly seen: number;
}

/** What a record without its texts says instead of the payload. */
export const noPayload = "null";

export interface AlertFilter {
  readonly severity?: AlertSeverity;
  readonly workers?: readonly string[];
  /** Not before then. */
  readonly since?: number;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly kind?: string;
  readonly target?: string;
  /** Not before then, and before then. */
  readonly since?: number;
  readonly before?: number;
}

/** A task's history and row, for refolding. */
export interface HistoryRecord {
  readonly task: TaskRecord;
  readonly events: readonly TaskEvent[];
}

/** Everything about jobs, lanes, workers and pauses that changed after a catalog revision, each by name or id. */
export interface Catalog {
  readonly revision: number;
  readonly jobs: readonly JobRecord[];
  readonly lanes: readonly Lane[];
  /** Removed workers are listed only after the first load, when a cache may still know them. */
  readonly workers: readonly WorkerRecord[];
  /** By kind and name; those that are over only after the first load. */
  readonly pauses: readonly Pause[];
}

/** Where a task stands, and among the tasks of which lanes. */
export interface LinePlace {
  readonly id: string;
  readonly rank: number;
  readonly lanes: readonly number[];
}

export interface Position {
  readonly position: number;
  readonly exact: boolean;
}

export interface LaneDepth {
  readonly lane: number;
  readonly ready: number;
  readonly delayed: number;
  readonly held: number;
  /** In nobody's hands, because they wait for their children. */
  readonly deferred: number;
  readonly oldestId: string | null;
}

export interface Reads extends StatisticReads {
  /** In the order asked for; a missing task is left out. */
  readonly tasks: { readonly query: { readonly ids: readonly string[] }; readonly answer: readonly TaskRecord[] };
  /** Newest first. */
  readonly taskList: { readonly query: TaskFilter & PageQuery; readonly answer: Page<TaskRecord> };
  /** All that is picked is found by looking on until there is nothing further; each is told as it is at that look. */
  readonly taskScan: { readonly query: TaskScan; readonly answer: Scanned };
  /** Oldest first. Refusals stand beside the moves. */
  readonly events: {
    readonly query: { readonly task: string } & PageQuery;
    readonly answer: Page<TaskEvent> & { readonly refusals: readonly (Refusal & { readonly times: number })[] };
  };
  readonly logs: { readonly query: { readonly task: string } & PageQuery; readonly answer: Page<LogLine> };
  readonly workerEvents: {
    readonly query: { readonly worker: string } & PageQuery;
    readonly answer: Page<WorkerEvent>;
  };
  /** Those worker events that are alerts, the last written first. */
  readonly alerts: { readonly query: AlertFilter & PageQuery; readonly answer: Page<WorkerEvent> };
  readonly catalog: { readonly query: { readonly after: number }; readonly answer: Catalog };
  /** In the order asked for, tombstones too; a missing one is left out. */
  readonly workers: { readonly query: { readonly ids: readonly string[] }; readonly answer: readonly WorkerRecord[] };
  /** How many tasks are in the hands of each of these workers, counted up to holdingsMax; those who hold none are left out. */
  readonly holdings: {
    readonly query: { readonly workers: readonly string[] };
    readonly answer: ReadonlyMap<string, number>;
  };
  /** How many tasks of each lane a worker has completed, among the newest workDoneMax that ended in its hands. */
  readonly workDone: {
    readonly query: { readonly worker: string };
    readonly answer: ReadonlyMap<number, number>;
  };
  readonly size: { readonly query: Record<string, never>; readonly answer: StoreSize };
  /** Of each its rank in claim order among the ready tasks of its lanes, from 1, counted up to positionMax. */
  readonly positions: {
    readonly query: { readonly asked: readonly LinePlace[] };
    readonly answer: readonly Position[];
  };
  /** How many tasks are in the hands of each of these workers, and how many of each of these lanes are in anybody's. */
  readonly load: {
    readonly query: { readonly workers: readonly string[]; readonly lanes: readonly number[] };
    readonly answer: {
      /** Those that hold something. */
      readonly workers: ReadonlyMap<string, number>;
      readonly lanes: ReadonlyMap<number, number>;
    };
  };
  /** Whether a broker has confirmed a message for an open task as it is (lastChange of core/ready-at.ts). */
  readonly message: { readonly query: { readonly task: string }; readonly answer: boolean };
  /**
   * How many of the first `among` ready tasks of a lane have a message as they are that was confirmed since then. Those
   * whose message is older are passed over: they are neither counted nor among the first.
   */
  readonly toldInFront: {
    readonly query: { readonly lane: number; readonly confirmedSince: number; readonly among: number };
    readonly answer: number;
  };
  readonly depths: { readonly query: Record<string, never>; readonly answer: readonly LaneDepth[] };
  /** The same, of tasks of these rooms alone, among the first roomDepthsMax that are found in these lanes. */
  readonly roomDepths: {
    readonly query: { readonly rooms: readonly string[]; readonly lanes: readonly number[] };
    readonly answer: readonly LaneDepth[];
  };
  readonly key: {
    readonly query: { readonly scope: string; readonly key: string };
    readonly answer: IdempotencyKey | null;
  };
  readonly token: {
    readonly query: { readonly hash: string } | { readonly id: string };
    readonly answer: TokenRecord | null;
  };
  /** Of one kind, or of all; newest first, then by id; those that were revoked or have expired too. */
  readonly tokens: {
    readonly query: { readonly kind?: TokenKind } & PageQuery;
    readonly answer: Page<TokenRecord>;
  };
  /** Newest first. */
  readonly audit: { readonly query: AuditFilter & PageQuery; readonly answer: Page<AuditEntry> };
  /** Of one worker, newest first. */
  readonly commands: {
    readonly query: { readonly worker: string } & PageQuery;
    readonly answer: Page<CommandRecord>;
  };
  readonly command: { readonly query: { readonly id: string }; readonly answer: CommandRecord | null };
  readonly provider: {
    readonly query: { readonly name: string } | { readonly id: string };
    readonly answer: ProviderRecord | null;
  };
  /** Of these rooms, or of all; newest first, those of one moment by id, the greatest first. */
  readonly providers: {
    readonly query: { readonly rooms: readonly string[] | null } & PageQuery;
    readonly answer: Page<ProviderRecord>;
  };
  /** In order of id, for a walk over everything. */
  readonly histories: {
    readonly query: { readonly after: string | null; readonly limit: number };
    readonly answer: readonly HistoryRecord[];
  };
  /** Every server that is not forgotten yet, by id, and who leads. */
  readonly nodes: {
    readonly query: { readonly now: number };
    readonly answer: { readonly nodes: readonly NodeRecord[]; readonly leader: string | null };
  };
  /** The latest sign of life among the children of each task. */
  readonly childActivity: {
    readonly query: { readonly parents: readonly string[] };
    readonly answer: ReadonlyMap<string, number>;
  };
}
