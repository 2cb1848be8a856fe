// What the server says of tasks, jobs, workers and rooms, in its own words: the keys are those of the REST API.

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
  readonly attempt: number;
  readonly losses: number;
  readonly parent_id: string | null;
  readonly retry_of: string | null;
  readonly progress: {
    readonly current: number;
    readonly total: number | null;
    readonly message: string | null;
  } | null;
  /** Null unless it is completed. */
  readonly result: O | null;
  readonly error: string | null;
  readonly error_code: string | null;
  readonly error_details: unknown;
}

/** One line of a task's log. */
export interface LogLine {
  readonly at: string;
  readonly attempt: number;
  readonly level: string;
  readonly message: string;
}

/** A job as lists show it. */
export interface JobSummary {
  readonly full_name: string;
  readonly category: string;
  readonly name: string;
  readonly workers: readonly string[];
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
}

/** A room as lists show it. */
export interface RoomSummary {
  readonly room_id: string;
  readonly job_count: number;
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
  readonly retry?: { readonly maxAttempts?: number; readonly baseMs?: number; readonly capMs?: number };
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
