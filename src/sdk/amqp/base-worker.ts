// The document's worker: handed the id of a task, it claims it, runs its operation and tells how it ended.

import { credentials, type TokenSource } from "../credentials.ts";
import { whereabouts } from "../environment.ts";
import { wordsOf } from "../failure.ts";
import type { JobDefinition } from "../job.ts";
import type { SteadyAsk } from "../steady-api.ts";
import { amqpLink } from "../worker/amqp/amqp-link.ts";
import type { Attempt } from "../worker/attempt.ts";
import { type Crew, crew } from "../worker/crew.ts";
import { logOf, type WorkerLog, workerDefaults } from "../worker/options.ts";
import { type Claiming, claimingOne } from "./claim-one.ts";
import type { OperationRegistry } from "./operation-registry.ts";
import { type Patience, patience } from "./patience.ts";
import { type Sessions, steadyJob } from "./sessions.ts";

/** What a `BaseWorker` runs, and for whom. */
export interface BaseWorkerOptions {
  readonly registry: OperationRegistry;
  /** It is given tasks of this queue alone. */
  readonly queue: string;
  /** Of the server; else LEADHAND_URL, else http://127.0.0.1:7070. */
  readonly url?: string;
  /** Else LEADHAND_TOKEN. */
  readonly token?: TokenSource;
  /** Shown to people. */
  readonly name?: string;
  /** Sessions that operations work in: each is committed before its task completes. */
  readonly sessions?: Sessions;
  /** To the standard error where absent, nowhere with null. */
  readonly log?: WorkerLog | null;
}

/** As many as anybody may ask it to run side by side. */
const concurrency = 1_000;
const tries = 3;

/**
 * Runs tasks by their ids, in two transactions that know nothing of each other: the claim is written before the operation
 * begins, and how it ended afterwards. Whoever hands it ids, as from a queue, acknowledges them.
 *
 * @example
 * ```ts
 * import { BaseWorker, OperationRegistry } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({ name: "load_ontology", execute: async () => ({ terms: 42_000 }) });
 * await using worker = new BaseWorker({ registry, queue: "protea.jobs", token: "lh_…" });
 * await worker.handleJob("01993d6c-7a10-7000-8000-3f5b6c1d2e3f");
 * ```
 */
export class BaseWorker implements AsyncDisposable {
  readonly #options: BaseWorkerOptions;
  readonly #log: WorkerLog;
  readonly #patience: Patience;
  /** What operations threw, until it is thrown again. */
  readonly #thrown = new Map<string, unknown>();
  #crew: Crew | null = null;
  #ready: Promise<Claiming> | null = null;
  #isClosed = false;

  constructor(options: BaseWorkerOptions) {
    this.#options = options;
    this.#log = logOf(options.log);
    this.#patience = patience();
  }

  /**
   * Claims this task and runs its operation. Returns in silence where the task is missing, taken or cancelled. Throws what
   * the operation threw, after the task was failed; not where it asked to be tried later. An operation that is in no
   * registry of the queue's workers fails as `UnknownOperation`.
   */
  async handleJob(id: string): Promise<void> {
    if (this.#isClosed) throw closed();
    const { parts, claim } = await this.#work();
    const task = await claim(id).catch((error: unknown) => {
      throw this.#isClosed ? closed(error) : error;
    });
    if (task === undefined) return;
    const { ending, error } = await parts.take(task).done;
    const thrown = this.#thrown.get(id);
    this.#thrown.delete(id);
    if (ending === "failed") throw thrown ?? new Error(error);
  }

  /** Prolongs the lease of a task that runs here; does nothing for any other. Never throws. */
  async extendLease(id: string): Promise<void> {
    await this.#about(id, "extend", { body: {} }).catch((error: unknown) =>
      this.#log.warn("a lease was not prolonged", { task: id, why: wordsOf(error) }),
    );
  }

  /** Whether a task that runs here went back into its queue; false where it has ended, or the server could not be told. */
  async requeueOnShutdown(id: string): Promise<boolean> {
    const held = await this.#held(id);
    if (held === undefined) return false;
    try {
      await this.#about(id, "release", { body: { reason: "shutdown" } });
      // What its operation still answers is nobody's business any more.
      held.abort("lost");
      return true;
    } catch (error) {
      this.#log.warn("a task did not go back", { task: id, why: wordsOf(error) });
      return false;
    }
  }

  /** Fails a task that runs here, with the class of `why` as its code. */
  async forceFail(id: string, why: Error): Promise<void> {
    const held = await this.#held(id);
    if (held === undefined) return;
    const { api } = (await this.#work()).parts;
    const body = { status: "failed", error: why.message, error_code: why.name, attempt: held.task.attempt };
    await api.request("PATCH", `/tasks/${id}`, { body, tries });
    held.abort("lost");
  }

  /** Lets what runs end, and signs off. What it is handed from now on is refused, and so is what it has not claimed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#crew?.stop(this.#patience.graceMs ?? workerDefaults.drainMs);
    await this.#crew?.done.catch(() => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #held(id: string): Promise<Attempt | undefined> {
    const ready = await this.#ready?.catch(() => null);
    return ready?.parts.hands.held().find(({ task }) => task.id === id);
  }

  async #about(id: string, act: string, { body }: Pick<SteadyAsk, "body">): Promise<void> {
    const held = await this.#held(id);
    if (held === undefined) return;
    const { api } = (await this.#work()).parts;
    await api.request("POST", `/tasks/${id}/${act}`, {
      body: { ...(body as object), attempt: held.task.attempt },
      tries,
    });
  }

  /** It registers with the first task. */
  #work(): Promise<Claiming> {
    this.#ready ??= new Promise((resolve, reject) => {
      const { url, token, queue, name, registry, sessions } = this.#options;
      const jobs = registry
        .jobs()
        .map((each) => this.#noting(steadyJob(each, { sessions, tries: this.#patience.transient })));
      const link = amqpLink({
        ...{ amqpUrl: null, queue, kind: "job", ackMode: "afterClaim", concurrency, prefetch: 0, jobs },
        ...{ deadLetters: {}, queues: {}, serial: new Set<string>(), patience: this.#patience },
        claim: (parts) => {
          resolve(claimingOne(parts, { log: this.#log, queue, jobs }));
          return new Promise((end) => parts.signal.addEventListener("abort", () => end(), { once: true }));
        },
      });
      const started = crew(
        {
          ...workerDefaults,
          ...{
            url: (url ?? whereabouts().url).replace(/\/+$/, ""),
            credentials: credentials(token),
            jobs,
            concurrency,
          },
          ...{ words: { ...(name && { name }) }, log: this.#log, onReady() {}, onCommand() {}, onTask() {} },
        },
        link,
      );
      this.#crew = started;
      // Also where it ends before it was registered.
      started.done.then(() => reject(closed()), reject);
    });
    return this.#ready;
  }

  #noting(given: JobDefinition): JobDefinition {
    return {
      ...given,
      handler: async (task) => {
        try {
          return await given.handler(task);
        } catch (error) {
          this.#thrown.set(task.id, error);
          throw error;
        }
      },
    };
  }
}

function closed(cause?: unknown): Error {
  return new Error("The worker was closed", { cause });
}
