// What the server says of tasks, jobs, workers and rooms, in its own words: the keys are those of the REST API.

import type { JobDefinition, RetryWords } from "../job.ts";

/** The states of a task. */
export type TaskStatus = "pending" | "claimed" | "running" | "completed" | "failed" | "cancelled";

/** A task as it is now. `O` is the result's type where the job is known. */
export interface TaskView<O = unknown> {
  readonly id: string;
  readonly job_name: string;
  readonly room_id: string;
  readonly status: TaskStatus;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly worker_id: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** From 1, while it waits. */
  readonly queue_position: number | null;
  readonly queue_position_exact: boolean | null;
  /** Why nobody can run it, where it is pending and was read alone. */
  readonly waiting: string | null;
  readonly queue: string;
  readonly priority: number;
  readonly run_at: string | null;
  /** What a worker must carry to get it: its job's labels and its own. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its own words over its job's; null where neither says anything. */
  readonly retry: RetryWords | null;
  readonly timeout_seconds: number | null;
  readonly attempt: number;
  readonly losses: number;
  readonly parent_id: string | null;
  readonly retry_of: string | null;
  /** The user who submitted it; null where nobody is known. */
  readonly submitter: string | null;
  readonly progress: {
    readonly current: number;
    readonly total: number | null;
    readonly message: string | null;
  } | null;
  /** Of a task that waits, or waited, for children or messages. */
  readonly children: ChildrenView | null;
  /** Null unless it is completed. */
  readonly result: O | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly error_details: unknown;
  /** What the caller may do to it, as far as it is a matter of rights; told where it was read alone. */
  readonly may?: {
    readonly cancel: boolean;
    readonly retry: boolean;
    readonly delete: boolean;
    readonly evict: boolean;
  };
}

/** What a coordinator knows of its children and messages. */
export interface ChildrenView {
  /** How many it waits for; null until it has deferred. */
  readonly total: number | null;
  readonly done: number;
  readonly failed: number;
  /** Something without an index was counted: what came twice may have counted twice. */
  readonly unindexed?: boolean;
  /** Why messages failed: the first three reasons. */
  readonly errors?: readonly string[];
}

/** Somebody has paused a job, a queue or a worker. */
export interface PauseFact {
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
  readonly until: string | null;
}

/** A worker that has the job of a task, and what keeps it from the task. */
export interface WorkerFact {
  /** Null where the token may not see it. */
  readonly id: string | null;
  readonly name: string | null;
  readonly profile: string;
  readonly state: WorkerSummary["state"];
  /** As in `full`, `draining`, `checksum`; null where nothing keeps it. */
  readonly hindrance: string | null;
  readonly held: number;
  /** Beyond how many it gets nothing; null where it has not said, or gets what it asks for. */
  readonly capacity: number | null;
  readonly draining: boolean;
  readonly deaf: boolean;
  readonly pause: PauseFact | null;
  readonly checksum: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly queues: readonly string[] | null;
  readonly seen_at: string;
  /** When it last asked the answering server for work; null where it has not, or is given work unasked. */
  readonly asked_at: string | null;
}

/** Why a task is not running. */
export interface TaskExplanation {
  readonly task_id: string;
  readonly state: TaskStatus;
  /** As in `worker-full`, `job-paused`, `in-line`; the guide "Why is this not running?" has them all. */
  readonly cause: string;
  /** The same for people. */
  readonly sentence: string;
  readonly facts: {
    readonly position: number | null;
    readonly position_exact: boolean | null;
    readonly run_at: string | null;
    readonly failures: number;
    readonly last_error: string | null;
    readonly refusal: string | null;
    readonly job: string;
    readonly job_exists: boolean;
    /** What a worker must carry. */
    readonly labels: Readonly<Record<string, string>>;
    /** What a worker must announce. */
    readonly checksum: string | null;
    readonly job_pause: PauseFact | null;
    readonly queue: string;
    readonly queue_pause: PauseFact | null;
    readonly limit: { readonly max_running: number; readonly running: number } | null;
    readonly push: { readonly failure: string | null } | null;
    /** Where consumers hear of it by a message broker. */
    readonly message: {
      readonly told: boolean;
      readonly broker_away_since: string | null;
      readonly waiting: number | null;
      readonly waiting_max: number;
      readonly consumers: number | null;
      readonly republished: number;
    } | null;
    readonly parent_id: string | null;
    readonly parent_cancelled: boolean;
    readonly worker_id: string | null;
    readonly workers_total: number;
    readonly workers: readonly WorkerFact[];
    readonly last_seen_at: string | null;
  };
}

/** One line of a task's log. */
export interface LogLine {
  readonly at: string;
  readonly attempt: number;
  readonly level: string;
  readonly message: string;
  /** What the handler calls it; absent from a plain line. */
  readonly event?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** A job as lists show it. */
export interface JobSummary {
  readonly full_name: string;
  readonly category: string;
  readonly name: string;
  readonly workers: readonly string[];
  /** Where somebody has paused it. */
  readonly pause: PauseFact | null;
}

/** A worker as lists show it. */
export interface WorkerSummary {
  readonly id: string;
  readonly last_heartbeat: string;
  readonly job_count: number;
  readonly door: string;
  readonly profile: string;
  readonly state: "ONLINE" | "UNREACHABLE" | "OFFLINE" | "DELETED";
  readonly name: string | null;
  readonly hostname: string | null;
  readonly os: string | null;
  /** Of its program, as it says. */
  readonly version: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** How many tasks it runs side by side, as it says. */
  readonly capacity: number | null;
  /** How many tasks are in its hands. */
  readonly held: number;
  readonly paused: boolean;
  readonly draining: boolean;
  readonly deaf: boolean;
  readonly status: {
    readonly cpuPercent: number | null;
    readonly ramBytes: number | null;
    readonly loopLagMs: number | null;
  };
  /** What the caller may do to it: pause, drain and resize it, and take its tasks away. */
  readonly may: { readonly operate: boolean };
}

/** A room as lists show it. */
export interface RoomSummary {
  readonly room_id: string;
  readonly job_count: number;
}

/** One of the servers. What a server of another version does not say of its load is null. */
export interface NodeSummary {
  readonly id: string;
  readonly address: string | null;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly online: boolean;
  readonly leader: boolean;
  /** The database's clock minus its machine's. */
  readonly clock_skew_ms: number;
  readonly load: {
    readonly connections: {
      readonly http: number | null;
      readonly sockets: number | null;
      readonly work: number | null;
    };
    readonly workers: number | null;
    readonly tasks: number | null;
    readonly loop_lag_ms: number | null;
    readonly loop_lag_p99_ms: number | null;
    /** Of one core. */
    readonly cpu_percent: number | null;
    readonly memory_bytes: number | null;
  };
}

/** How a task is submitted, beside its payload. */
export interface SubmitOptions {
  /** Where the task belongs; the job's own room where absent. */
  readonly room?: string;
  /** Higher goes first. */
  readonly priority?: number;
  readonly delayMs?: number;
  /** Instead of a delay. */
  readonly runAt?: Date | string;
  readonly queue?: string;
  /** Only workers that carry all of these get it. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly parent?: string;
  readonly timeoutMs?: number;
  readonly retry?: RetryWords;
  readonly logs?: { readonly requested?: boolean; readonly level?: "debug" | "info" | "warn" | "error" };
  /** The same key and words within a day are the same task. Made up where absent. */
  readonly idempotencyKey?: string;
}

/** How long to wait for a task. */
export interface WaitOptions {
  /** Without end where absent. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** The body of a submit. */
export function submitBody(payload: unknown, options: SubmitOptions): Readonly<Record<string, unknown>> {
  const { priority, delayMs, runAt, queue, labels, parent, timeoutMs, retry, logs } = options;
  const words = {
    ...{ payload: payload ?? {}, priority, queue, labels, retry, logs, parent_id: parent },
    delay_seconds: delayMs === undefined ? undefined : delayMs / 1_000,
    run_at: runAt instanceof Date ? runAt.toISOString() : runAt,
    timeout_seconds: timeoutMs === undefined ? undefined : timeoutMs / 1_000,
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

export function isFinal({ status }: Pick<TaskView, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Which tasks a list is of. */
export interface TaskQuery {
  readonly room?: string;
  readonly job?: string | JobDefinition;
  readonly status?: TaskStatus;
}
