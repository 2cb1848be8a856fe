// What an operator does to the fleet, for programs.

import { jobPath } from "../job-path.ts";
import type { SteadyApi } from "../steady-api.ts";
import { pages } from "./pages.ts";
import type { TaskView } from "./words.ts";

/** Why something is done; it is kept, shown, and told to the worker. */
export interface NoteOptions {
  readonly note?: string;
}

/** How long a pause lasts; without an end where neither is given. */
export interface PauseOptions extends NoteOptions {
  readonly forMs?: number;
  /** Instead of `forMs`. */
  readonly until?: Date;
}

/** How long a worker that drains may keep what it has. */
export interface DrainOptions extends NoteOptions {
  /** What it still holds then goes to others; for ever where absent. */
  readonly deadlineMs?: number;
}

/** Why nothing new is given out. */
export interface PauseView {
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
  readonly until: string | null;
}

/** A pause, and what of. */
export interface NamedPause extends PauseView {
  readonly kind: "job" | "queue" | "worker";
  readonly name: string;
}

/** A queue, and how much waits in it. */
export interface QueueSummary {
  readonly name: string;
  readonly waiting: number;
  readonly held: number;
  readonly pause: PauseView | null;
}

/** A worker as it is shown to who asks for it alone. */
export interface WorkerDetail {
  readonly id: string;
  readonly state: "ONLINE" | "UNREACHABLE" | "OFFLINE" | "DELETED";
  readonly profile: string;
  readonly name: string | null;
  readonly hostname: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly paused: boolean;
  readonly pause: PauseView | null;
  readonly draining: boolean;
  readonly drain: { readonly by: string; readonly note: string | null; readonly deadline: string | null } | null;
  readonly concurrency_limit: number | null;
}

/** Workers that are drained some at a time. */
export interface DrainPlan {
  readonly id: string;
  readonly label: string;
  readonly at_a_time: number;
  readonly deadline_seconds: number | null;
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
  readonly waiting: readonly string[];
  readonly draining: readonly string[];
  readonly done: readonly string[];
}

/** Something a worker was told to do, and what became of it. */
export interface CommandView {
  readonly id: string;
  readonly type: string;
  readonly args: Readonly<Record<string, unknown>> | null;
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
  readonly expires_at: string | null;
  readonly delivered_at: string | null;
  readonly acked_at: string | null;
  readonly ok: boolean | null;
  readonly detail: string | null;
}

/** Workers that are deleted now. */
export interface ClearedWorkers {
  readonly deleted: number;
  /** Their ids. */
  readonly workers: readonly string[];
}

/**
 * What an operator does to the fleet: `client.fleet`. Each act counts from its answer on, at other servers within a second,
 * and is in the audit with who did it and why.
 *
 * @example
 * ```ts
 * import { Client } from "leadhand";
 *
 * using client = new Client({ token: "lh_…" });
 * const plan = await client.fleet.drainWorkers("zone=a", { atATime: 3, deadlineMs: 120_000, note: "new kernel" });
 * console.log(plan.draining, plan.waiting);
 * await client.fleet.pauseJob("@global:modifiers:Rotate", { forMs: 600_000, note: "it eats the disk" });
 * ```
 */
export interface Fleet {
  /** It gets nothing new; what it has goes on. */
  pauseWorker(worker: string, options?: PauseOptions): Promise<WorkerDetail>;
  /** Ends a pause and a drain. */
  resumeWorker(worker: string, options?: NoteOptions): Promise<WorkerDetail>;
  /** It finishes what it has, and gets nothing new. */
  drainWorker(worker: string, options?: DrainOptions): Promise<WorkerDetail>;
  /** It holds no more than so many tasks; null takes the limit back. */
  setConcurrency(worker: string, value: number | null, options?: NoteOptions): Promise<WorkerDetail>;
  /** Takes a task from its worker; it waits again, and nothing counts against it. Asked once. */
  evict(task: string, options?: NoteOptions): Promise<TaskView>;
  /** Drains all workers with this label, `key=value`, one at a time unless said. Asked once. */
  drainWorkers(label: string, options?: DrainOptions & { readonly atATime?: number }): Promise<DrainPlan>;
  /** Plans that are not through. */
  drains(): Promise<readonly DrainPlan[]>;
  /** Who drains already goes on; nobody else begins. */
  stopDrain(id: string): Promise<DrainPlan>;
  /** What a worker was told to do, newest first. */
  commands(worker: string): AsyncGenerator<CommandView>;
  /** For good: what it holds is lost, and a ping finds nobody. For its owner and superusers. Asked once. */
  deleteWorker(worker: string): Promise<void>;
  /** Deletes workers that have been OFFLINE for longer than their door keeps them, 24 hours. For superusers. Asked once. */
  cleanup(options?: NoteOptions): Promise<ClearedWorkers>;
  /** Deletes all workers that are OFFLINE now. For superusers. Asked once. */
  cleanupOffline(options?: NoteOptions): Promise<ClearedWorkers>;
  pauseJob(job: string, options?: PauseOptions): Promise<NamedPause>;
  /** The pause that has ended; null where there was none. */
  resumeJob(job: string, options?: NoteOptions): Promise<NamedPause | null>;
  pauseQueue(queue: string, options?: PauseOptions): Promise<NamedPause>;
  resumeQueue(queue: string, options?: NoteOptions): Promise<NamedPause | null>;
  queues(): AsyncGenerator<QueueSummary>;
  /** Jobs, queues and workers. */
  pauses(): AsyncGenerator<NamedPause>;
}

const tries = 6;

/** `root` is for what is not below `/v1`. */
export function fleet(api: SteadyApi, root: SteadyApi): Fleet {
  async function post<T>(path: string, body: Readonly<Record<string, unknown>>, most = tries): Promise<T> {
    return (await api.request<T>("POST", path, { body, tries: most })).body;
  }

  const worker = (id: string, act: string): string => `/workers/${encodeURIComponent(id)}/${act}`;
  const cleanup = async (which: string, { note }: NoteOptions): Promise<ClearedWorkers> =>
    (await root.request<ClearedWorkers>("POST", `/workers/${which}`, { body: { note }, tries: 1 })).body;
  const job = (name: string, act: string): string => `/jobs/${jobPath(name).url}/${act}`;
  const queue = (name: string, act: string): string => `/queues/${encodeURIComponent(name)}/${act}`;
  const resume = async (path: string, { note }: NoteOptions): Promise<NamedPause | null> =>
    (await post<{ ended: NamedPause | null }>(path, { note })).ended;

  return {
    pauseWorker: (id, options = {}) => post(worker(id, "pause"), pauseBody(options)),
    resumeWorker: (id, { note } = {}) => post(worker(id, "resume"), { note }),
    drainWorker: (id, options = {}) => post(worker(id, "drain"), drainBody(options)),
    setConcurrency: (id, value, { note } = {}) => post(worker(id, "concurrency"), { value, note }),
    evict: (task, { note } = {}) => post(`/tasks/${encodeURIComponent(task)}/evict`, { note }, 1),
    drainWorkers: (label, { atATime, ...options } = {}) =>
      post("/workers/drain", { label, at_a_time: atATime, ...drainBody(options) }, 1),
    drains: async () => (await api.request<{ items: readonly DrainPlan[] }>("GET", "/drains", { tries })).body.items,
    async stopDrain(id) {
      return (await api.request<DrainPlan>("DELETE", `/drains/${encodeURIComponent(id)}`, { tries: 1 })).body;
    },
    commands: (id) => pages(api, worker(id, "commands")),
    async deleteWorker(id) {
      await api.request("DELETE", `/workers/${encodeURIComponent(id)}`, { tries: 1 });
    },
    cleanup: (options = {}) => cleanup("cleanup", options),
    cleanupOffline: (options = {}) => cleanup("cleanup-offline", options),
    pauseJob: (name, options = {}) => post(job(name, "pause"), pauseBody(options)),
    resumeJob: (name, options = {}) => resume(job(name, "resume"), options),
    pauseQueue: (name, options = {}) => post(queue(name, "pause"), pauseBody(options)),
    resumeQueue: (name, options = {}) => resume(queue(name, "resume"), options),
    queues: () => pages(api, "/queues"),
    pauses: () => pages(api, "/pauses"),
  };
}

function pauseBody({ note, forMs, until }: PauseOptions): Readonly<Record<string, unknown>> {
  return { note, for_seconds: secondsOf(forMs), until: until?.toISOString() };
}

function drainBody({ note, deadlineMs }: DrainOptions): Readonly<Record<string, unknown>> {
  return { note, deadline_seconds: secondsOf(deadlineMs) };
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
