// Questions to a store. Lists are bounded: a page, and a total that is exact up to a limit and flagged beyond it.

import type { AlertSeverity } from "../core/alert.ts";
import type { ProfileName } from "../core/liveness.ts";
import type { Pause } from "../core/pause.ts";
import type { TaskEvent } from "../core/task-event.ts";
import type { TaskState } from "../core/task-row.ts";
import type {
  AuditEntry,
  CommandRecord,
  IdempotencyKey,
  JobRecord,
  Lane,
  LogLine,
  NodeRecord,
  OutboxItem,
  ProviderRecord,
  Refusal,
  TaskRecord,
  TokenRecord,
  WorkerEvent,
  WorkerRecord,
} from "./records.ts";

export const totalMax = 10_000;
export const positionMax = 1_000;
export const holdingsMax = 1_000;

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

export interface LaneDepth {
  readonly lane: number;
  readonly ready: number;
  readonly delayed: number;
  readonly held: number;
  readonly oldestId: string | null;
}

export interface Reads {
  /** In the order asked for; a missing task is left out. */
  readonly tasks: { readonly query: { readonly ids: readonly string[] }; readonly answer: readonly TaskRecord[] };
  /** Newest first. */
  readonly taskList: { readonly query: TaskFilter & PageQuery; readonly answer: Page<TaskRecord> };
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
  /** Rank in claim order among the ready tasks of these lanes, from 1, counted up to positionMax. */
  readonly position: {
    readonly query: { readonly id: string; readonly rank: number; readonly lanes: readonly number[] };
    readonly answer: { readonly position: number; readonly exact: boolean };
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
  readonly depths: { readonly query: Record<string, never>; readonly answer: readonly LaneDepth[] };
  readonly key: {
    readonly query: { readonly scope: string; readonly key: string };
    readonly answer: IdempotencyKey | null;
  };
  readonly token: {
    readonly query: { readonly hash: string } | { readonly id: string };
    readonly answer: TokenRecord | null;
  };
  /** Newest first, then by id; those that were revoked or have expired too. */
  readonly tokens: { readonly query: PageQuery; readonly answer: Page<TokenRecord> };
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

export interface Find {
  /** Tasks whose deadline has passed, earliest first. */
  readonly due: {
    readonly query: { readonly now: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers whose session is over (isLost) and for whom `heardMs` of listening is enough (listenMs), by id. */
  readonly lost: {
    readonly query: { readonly now: number; readonly heardMs: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /**
   * Workers whose history does not say what their state is (untold), by id; those that fell silent only where the time
   * after which they are unreachable is no longer than `heardMs`.
   */
  readonly untold: {
    readonly query: { readonly now: number; readonly heardMs: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers fenced before then and not removed, longest first. */
  readonly offline: {
    readonly query: { readonly profile: ProfileName; readonly lostBefore: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers that were removed and are still kept, the latest first. */
  readonly removed: { readonly query: { readonly limit: number }; readonly answer: readonly string[] };
  /** Tasks in the hands of workers that are fenced, removed or unknown, by id. */
  readonly forsaken: {
    readonly query: { readonly limit: number };
    readonly answer: readonly { readonly task: string; readonly worker: string }[];
  };
  readonly held: {
    readonly query: { readonly workers: readonly string[]; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Open children, oldest first. */
  readonly children: {
    readonly query: { readonly parents: readonly string[]; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Active worker-registered jobs that no worker serves and no pending task waits for, by name. */
  readonly orphans: { readonly query: { readonly limit: number }; readonly answer: readonly string[] };
  /** Commands of these workers that they have not acknowledged and that have not expired, oldest first. */
  readonly commands: {
    readonly query: { readonly workers: readonly string[]; readonly now: number; readonly limit: number };
    readonly answer: readonly CommandRecord[];
  };
  readonly outbox: {
    readonly query: { readonly kind: string; readonly limit: number };
    readonly answer: readonly OutboxItem[];
  };
}
