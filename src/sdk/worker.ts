// A worker as its author sees it: jobs, and a life from `run` to its end.

import { EventEmitter } from "node:events";
import { patience } from "./amqp/patience.ts";
import { steadyJob } from "./amqp/sessions.ts";
import { credentials } from "./credentials.ts";
import { brokerWhereabouts, whereabouts } from "./environment.ts";
import { type Handler, type JobDefinition, type JobOptions, job } from "./job.ts";
import { inRoom, jobPath } from "./job-path.ts";
import { onStopRequests } from "./stop-requests.ts";
import { amqpLink } from "./worker/amqp/amqp-link.ts";
import { amqpOptions, queueMap } from "./worker/amqp/amqp-options.ts";
import { withPing } from "./worker/amqp/operation-name.ts";
import type { Ending } from "./worker/attempt.ts";
import { type Crew, type CrewParts, crew } from "./worker/crew.ts";
import { fleetLink } from "./worker/fleet/fleet-link.ts";
import { checkBlock } from "./worker/fleet/registration.ts";
import type { WorkerCommand } from "./worker/obedience.ts";
import { checkOptions, defaultsFor, logOf, type WorkerOptions, workerDefaults } from "./worker/options.ts";
import { workCrew } from "./worker/work/work-crew.ts";

/** What a worker tells whoever listens with `on`. */
export interface WorkerEvents {
  /** It is registered, and takes tasks; also after it had to register again. */
  ready: [{ readonly worker: string }];
  /** It is through with a task. */
  task: [
    {
      readonly id: string;
      readonly job: string;
      readonly attempt: number;
      readonly ending: Ending;
      readonly error?: string;
    },
  ];
  /** An operator has paused, resumed, drained or limited it, or taken a task from it. It has obeyed already. */
  command: [WorkerCommand];
  /** It had to end, and the handler of this task did not in time, or gave up: the task went back. */
  handedBack: [{ readonly id: string }];
}

/**
 * Runs jobs for a server: is given tasks, runs their handlers, tells how they ended, and gives signs of life, from a
 * thread of its own while a handler keeps the program busy. It goes on while the server is away, and never stops in
 * silence: `run` rejects with what ended it.
 *
 * @example
 * ```ts
 * import { Worker } from "leadhand";
 * import { z } from "zod";
 *
 * const worker = new Worker({ url: "http://127.0.0.1:7070", token: "lh_…", concurrency: 8 });
 *
 * worker.job("@global:modifiers:Rotate", { input: z.object({ angle: z.number().default(0) }) }, async (task) => {
 *   task.progress(1, 10, "rotating");
 *   task.signal.throwIfAborted();
 *   return { turned: task.input.angle };
 * });
 *
 * await worker.run();
 * ```
 */
export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #jobs = new Map<string, JobDefinition>();
  readonly #events = new EventEmitter<WorkerEvents>();
  #crew: Crew | null = null;
  #running: Promise<void> | null = null;

  constructor(options: WorkerOptions = {}) {
    checkOptions(options);
    this.#options = options;
  }

  /**
   * Adds a job, before `run`. A name without a room is of the worker's `room`.
   *
   * @example
   * ```ts
   * import { job, Worker } from "leadhand";
   *
   * const rotate = job("@global:modifiers:Rotate", {}, () => ({ ok: true }));
   * const worker = new Worker({ token: "lh_…" });
   * worker.job(rotate).job("@global:modifiers:Mirror", {}, () => ({ ok: true }));
   * ```
   */
  job(definition: JobDefinition): this;
  job<I = unknown, O = unknown, P = unknown>(name: string, options: JobOptions<I, O, P>, handler: Handler<I, O>): this;
  job(first: JobDefinition | string, options: JobOptions = {}, handler?: Handler): this {
    if (this.#running !== null) throw new Error("Jobs are added before the worker runs");
    const given = typeof first === "string" ? job(first, options, handler as Handler) : first;
    if (typeof given.handler !== "function") throw new TypeError(`Job '${given.name}' has no handler`);
    const name = inRoom(given.name, this.#options.room ?? workerDefaults.room);
    jobPath(name);
    if (this.#options.link === "fleet") checkBlock(name);
    if (this.#jobs.has(name)) throw new Error(`Job '${name}' is there twice`);
    this.#jobs.set(name, { name, options: given.options, handler: (task) => given.handler(task) });
    return this;
  }

  /**
   * Listens to what happens.
   *
   * @example
   * ```ts
   * import { Worker } from "leadhand";
   *
   * const worker = new Worker({ token: "lh_…" }).job("@global:modifiers:Rotate", {}, () => ({ ok: true }));
   * worker.on("task", ({ id, ending, error }) => console.log(id, ending, error ?? ""));
   * ```
   */
  on<E extends keyof WorkerEvents>(event: E, listener: (...said: WorkerEvents[E]) => void): this {
    this.#events.on(event, listener as never);
    return this;
  }

  /**
   * Works until `stop`, SIGINT or SIGTERM; then lets handlers end, and says goodbye. A second signal asks them to stop at
   * once; over the link `amqp` a second SIGTERM does not. Rejects with what made it impossible to go on, as a refused token or a job that it may not register.
   */
  run(): Promise<void> {
    this.#running ??= this.#work();
    return this.#running;
  }

  /**
   * Takes nothing new, gives handlers `drainMs` to end, says goodbye. Resolves when all is quiet; may be called twice.
   *
   * @example
   * ```ts
   * import { Worker } from "leadhand";
   *
   * await using worker = new Worker({ token: "lh_…", signals: false });
   * worker.job("@global:modifiers:Rotate", {}, () => ({ ok: true }));
   * const running = worker.run();
   * setTimeout(() => void worker.stop({ drainMs: 5_000 }), 60_000);
   * await running;
   * ```
   */
  async stop({ drainMs }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#crew?.stop(drainMs ?? this.#options.drainMs ?? drainDefault(this.#options));
    // What ended it is for whoever called `run`.
    await this.#running?.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #work(): Promise<void> {
    const { url, token, signals, log, link, ...rest } = {
      pollMs: 0,
      ...defaultsFor(this.#options),
      drainMs: drainDefault(this.#options),
      ...given(this.#options),
    };
    if (this.#jobs.size === 0 && link !== "amqp") throw new Error("The worker has no jobs: add some with `worker.job`");
    const { name, queues, labels, concurrency, prefetch, register, heartbeatMs, drainMs, socket } = rest;
    const lines = logOf(log);
    const parts: CrewParts = {
      url: (url ?? whereabouts().url).replace(/\/+$/, ""),
      credentials: credentials(token),
      jobs: this.#runnable(),
      words: { ...(name && { name }), ...(queues && { queues }), ...(labels && { labels }) },
      ...{ concurrency, prefetch, register, heartbeatMs, drainMs, socket, log: lines },
      onReady: (worker) => {
        lines.info("ready", { worker, jobs: parts.jobs.map((each) => each.name) });
        this.#events.emit("ready", { worker });
      },
      onHandedBack: (id) => void this.#events.emit("handedBack", { id }),
      onCommand: (command) => void this.#events.emit("command", command),
      onTask: ({ id, job_name: job, attempt }, ending, error) =>
        void this.#events.emit("task", { id, job, attempt, ending, ...(error !== undefined && { error }) }),
    };
    const fallBack = link === undefined ? () => crew(parts) : null;
    const started = byRequests(parts, link, this.#options, rest.pollMs) ?? workCrew(parts, fallBack);
    this.#crew = started;
    const forget = signals ? onSignals(started, drainMs, link) : null;
    await started.done.finally(() => forget?.());
  }

  /** As they are run: in sessions where there are some, and over "amqp" as steadily as the document has it. */
  #runnable(): readonly JobDefinition[] {
    const { link, sessions } = this.#options;
    const jobs = [...this.#jobs.values()];
    const all = link === "amqp" ? withPing(jobs, queueMap(brokerWhereabouts().queues)) : jobs;
    if (link !== "amqp" && sessions === undefined) return all;
    const { transient: tries } = patience();
    return all.map((each) => steadyJob(each, { sessions, tries }));
  }
}

/** As LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS says, where nobody said it here. */
function drainDefault(options: WorkerOptions): number {
  return patience().graceMs ?? defaultsFor(options).drainMs;
}

function byRequests(
  parts: CrewParts,
  link: WorkerOptions["link"],
  options: WorkerOptions,
  pollMs: number,
): Crew | null {
  if (link === "rest") return crew(parts);
  if (link === "amqp") {
    const about = amqpOptions(options, parts);
    return crew({ ...parts, concurrency: about.concurrency }, amqpLink(about));
  }
  return link === "fleet" ? crew(parts, fleetLink({ pollMs })) : null;
}

/** Without what was given as undefined, for which the defaults are. */
function given<T extends object>(options: T): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** The first asks for the end, the second for a quick one. */
function onSignals({ stop }: Crew, drainMs: number, link: WorkerOptions["link"]): () => void {
  let isAsked = false;
  return onStopRequests((signal) => {
    // Whoever deploys consumers of a queue may ask again and again; the time they have to end stays theirs.
    if (isAsked && link === "amqp" && signal === "SIGTERM") return;
    stop(isAsked ? 0 : drainMs);
    isAsked = true;
  });
}
