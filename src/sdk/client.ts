// Whoever submits tasks and wants to know what became of them.

import { type AuditLine, type AuditQuery, auditWords } from "./client/audit-words.ts";
import { type Fleet, fleet } from "./client/fleet.ts";
import { type FollowOptions, type FollowParts, logs, watch } from "./client/following.ts";
import { pages } from "./client/pages.ts";
import { TaskFailed } from "./client/task-failed.ts";
import {
  isFinal,
  type JobSummary,
  type LogLine,
  type NodeSummary,
  type RoomSummary,
  type SubmitOptions,
  submitBody,
  type TaskExplanation,
  type TaskQuery,
  type TaskView,
  type WaitOptions,
  type WorkerSummary,
} from "./client/words.ts";
import { credentials, type TokenSource } from "./credentials.ts";
import { whereabouts } from "./environment.ts";
import type { JobDefinition } from "./job.ts";
import { jobPath } from "./job-path.ts";
import { restApi } from "./rest-api.ts";
import { type SteadyApi, steadyApi } from "./steady-api.ts";
import { elapsedMs, newKey } from "./system.ts";
import { type Wire, wire } from "./wire.ts";

/** Where the server is, and who asks. */
export interface ClientOptions {
  /** Of the server; else LEADHAND_URL, else http://127.0.0.1:7070. */
  readonly url?: string;
  /** Else LEADHAND_TOKEN. A function is asked for every request. */
  readonly token?: TokenSource;
}

/** A job by its full name, or as it was defined; then payloads and results have its types. */
export type JobReference<O, P> = string | JobDefinition<unknown, O, P>;

/** A job of any kind, for lists of them. */
export interface Submission {
  readonly job: string | JobDefinition;
  readonly payload?: unknown;
  readonly options?: Omit<SubmitOptions, "room" | "idempotencyKey">;
}

/** A request that is lost is sent again so often; a submit carries a key, so it is still one task. */
const tries = 6;
const waitSecondsMax = 30;
const silenceMs = 45_000;

/**
 * Submits tasks, waits for them, watches them, cancels them.
 *
 * @example
 * ```ts
 * import { Client, job } from "leadhand";
 * import { z } from "zod";
 *
 * const rotate = job("@global:modifiers:Rotate", { input: z.object({ angle: z.number() }) }, () => ({ ok: true }));
 *
 * const client = new Client({ url: "http://127.0.0.1:7070", token: "lh_…" });
 * const { ok } = await client.run(rotate, { angle: 90 });
 * ```
 */
export class Client implements Disposable {
  readonly #wire: Wire = wire({ silenceMs });
  readonly #api: SteadyApi;
  readonly #follow: FollowParts;
  /** Pausing, draining, limiting and deleting workers; pausing jobs and queues. */
  readonly fleet: Fleet;

  constructor({ url = whereabouts().url, token }: ClientOptions = {}) {
    const known = credentials(token);
    const headers = async () => ({ authorization: `Bearer ${await known.get()}` });
    const about = { url, fetch: this.#wire.fetch, getHeaders: headers };
    const api = restApi(about);
    this.#api = steadyApi({ api, credentials: known });
    this.fleet = fleet(this.#api, steadyApi({ api: restApi({ ...about, prefix: "" }), credentials: known }));
    this.#follow = { api: this.#api, url: api.url, headers };
  }

  /**
   * Answers the task as it was accepted; from then on it is not lost.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * const task = await client.submit("@global:modifiers:Rotate", { angle: 90 }, { room: "lab", priority: 5, delayMs: 1_000 });
   * const { status, result } = await client.wait(task.id, { timeoutMs: 60_000 });
   * console.log(status, result);
   * ```
   */
  async submit<O = unknown, P = unknown>(
    job: JobReference<O, P>,
    payload?: NoInfer<P>,
    options: SubmitOptions = {},
  ): Promise<TaskView<O>> {
    const { room, url } = jobPath(nameOf(job));
    const { room: into = room, idempotencyKey = newKey() } = options;
    const path = `/rooms/${encodeURIComponent(into)}/tasks/${url}`;
    const ask = { body: submitBody(payload, options), headers: { "idempotency-key": idempotencyKey }, tries };
    return (await this.#api.request<TaskView<O>>("POST", path, ask)).body;
  }

  /** Up to 1,000 tasks at once, all of them or none. */
  async submitMany(
    room: string,
    submissions: readonly Submission[],
    { idempotencyKey = newKey() }: Pick<SubmitOptions, "idempotencyKey"> = {},
  ): Promise<readonly TaskView[]> {
    const tasks = submissions.map(({ job, payload, options = {} }) => {
      return { job: nameOf(job), ...submitBody(payload, options) };
    });
    const ask = { body: { tasks }, headers: { "idempotency-key": idempotencyKey }, tries };
    const path = `/rooms/${encodeURIComponent(room)}/tasks`;
    return (await this.#api.request<{ items: readonly TaskView[] }>("POST", path, ask)).body.items;
  }

  /** Submits, waits, and answers the result. Throws TaskFailed where there is none. */
  async run<O = unknown, P = unknown>(
    job: JobReference<O, P>,
    payload?: NoInfer<P>,
    options: SubmitOptions & WaitOptions = {},
  ): Promise<O> {
    const { id } = await this.submit<O, P>(job, payload, options);
    const task = await this.wait<O>(id, options);
    if (task.status !== "completed") throw new TaskFailed(task);
    return task.result as O;
  }

  async get<O = unknown>(id: string): Promise<TaskView<O>> {
    return (await this.#api.request<TaskView<O>>("GET", `/tasks/${encodeURIComponent(id)}`, { tries })).body;
  }

  /** Answers when the task is final. Throws a TimeoutError after `timeoutMs`; the task goes on. */
  async wait<O = unknown>(id: string, { timeoutMs, signal }: WaitOptions = {}): Promise<TaskView<O>> {
    const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : elapsedMs() + timeoutMs;
    const limits = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
    const until = limits.length === 0 ? {} : { signal: AbortSignal.any(limits) };
    for (;;) {
      const seconds = Math.max(1, Math.min(waitSecondsMax, Math.ceil((end - elapsedMs()) / 1_000)));
      const ask = { headers: { prefer: `wait=${seconds}` }, ...until };
      const { body } = await this.#api.request<TaskView<O>>("GET", `/tasks/${encodeURIComponent(id)}`, ask);
      if (isFinal(body)) return body;
    }
  }

  /**
   * The task as it is, then whenever it moved, until it is final.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * const client = new Client({ token: "lh_…" });
   * const { id } = await client.submit("@global:modifiers:Rotate", { angle: 90 });
   * for await (const task of client.watch(id)) console.log(task.status, task.progress);
   * ```
   */
  watch(id: string, options: FollowOptions = {}): AsyncGenerator<TaskView> {
    return watch(this.#follow, encodeURIComponent(id), options);
  }

  /**
   * The lines of its log; with `follow` also those to come, until the task is final.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * const { id } = await client.submit("@global:modifiers:Rotate", { angle: 90 });
   * for await (const { at, level, message } of client.logs(id, { follow: true })) console.log(at, level, message);
   * ```
   */
  logs(id: string, options: FollowOptions & { readonly follow?: boolean } = {}): AsyncGenerator<LogLine> {
    return logs(this.#follow, encodeURIComponent(id), options);
  }

  /**
   * Why the task is not running, in one sentence, with the facts.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * const { id } = await client.submit("@global:modifiers:Rotate", { angle: 90 });
   * const { cause, sentence } = await client.explain(id);
   * console.log(cause, sentence);
   * ```
   */
  async explain(id: string): Promise<TaskExplanation> {
    return (await this.#api.request<TaskExplanation>("GET", `/tasks/${encodeURIComponent(id)}/explain`, { tries }))
      .body;
  }

  /** Cancels the task and its open children. Throws ServerProblem `invalid-task-transition` where it is over. */
  async cancel(id: string): Promise<{ readonly task: TaskView; readonly cancelledChildren: number }> {
    const path = `/tasks/${encodeURIComponent(id)}/cancel`;
    const { body } = await this.#api.request<{ task: TaskView; cancelled_children: number }>("POST", path, { tries });
    return { task: body.task, cancelledChildren: body.cancelled_children };
  }

  /** Runs a final task again, as a new task. Asked once: a lost answer may have made one. */
  async retry<O = unknown>(id: string): Promise<TaskView<O>> {
    const path = `/tasks/${encodeURIComponent(id)}/retry`;
    return (await this.#api.request<TaskView<O>>("POST", path, { tries: 1 })).body;
  }

  /**
   * Newest first, page by page as you read on.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * for await (const { id, error } of client.tasks({ room: "lab", status: "failed" })) console.log(id, error);
   * ```
   */
  tasks({ room, job, status }: TaskQuery = {}): AsyncGenerator<TaskView> {
    const name = job === undefined ? undefined : jobPath(nameOf(job));
    const within = room ?? name?.room;
    const base = within === undefined ? "" : `/rooms/${encodeURIComponent(within)}`;
    return pages(this.#api, name === undefined ? `${base}/tasks` : `${base}/jobs/${name.url}/tasks`, {
      query: { status },
    });
  }

  /** Those of all rooms the token may see, or those that one room sees. */
  jobs({ room }: { readonly room?: string } = {}): AsyncGenerator<JobSummary> {
    return pages(this.#api, room === undefined ? "/jobs" : `/rooms/${encodeURIComponent(room)}/jobs`);
  }

  workers({ room, state }: { readonly room?: string; readonly state?: WorkerSummary["state"] } = {}) {
    return pages<WorkerSummary>(this.#api, "/workers", { query: { room, state } });
  }

  rooms(): AsyncGenerator<RoomSummary> {
    return pages(this.#api, "/rooms");
  }

  /**
   * What was done to the fleet and to tasks, newest first, page by page as you read on. All of it for an admin, their own
   * acts for everyone else.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * for await (const { at, actor, target } of client.audit({ action: "task.cancel" })) console.log(at, actor, target);
   * ```
   */
  audit(query: AuditQuery = {}): AsyncGenerator<AuditLine> {
    return pages(this.#api, "/audit", { query: auditWords(query) });
  }

  /**
   * The servers on the database, the longest running first.
   *
   * @example
   * ```ts
   * import { Client } from "leadhand";
   *
   * using client = new Client({ token: "lh_…" });
   * for (const { address, leader, load } of await client.nodes()) console.log(address, leader, load.tasks);
   * ```
   */
  async nodes(): Promise<readonly NodeSummary[]> {
    return (await this.#api.request<{ items: readonly NodeSummary[] }>("GET", "/nodes", { tries })).body.items;
  }

  /** Ends the connections that are kept open. */
  close(): void {
    this.#wire.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function nameOf(job: string | { readonly name: string }): string {
  return typeof job === "string" ? job : job.name;
}
