// The documents' worker: registers classes as jobs, beats, claims, and says goodbye.

import type { Socket } from "socket.io-client";
import { Fail } from "../ending.ts";
import { failureOf } from "../failure.ts";
import { jsonSchemaOf } from "../json-schema.ts";
import { runHandler } from "../run-handler.ts";
import { onStopRequests } from "../stop-requests.ts";
import type { ClaimedTask } from "./claimed-task.ts";
import type { Extension, ExtensionClass } from "./extension.ts";
import { payloadOf, schemaOf } from "./fields.ts";
import { type ApiManager, apiManagerOf, hasStatus, type ServerAddress } from "./host-api.ts";
import {
  type JobManagerOptions,
  type ListenOptions,
  msOf,
  type RegisterOptions,
  type SubmitOptions,
} from "./options.ts";
import type { OwnSocketOptions } from "./own-socket.ts";
import type { ProviderClass, ProviderOptions } from "./provider.ts";
import type { Register } from "./register.ts";
import { type Running, running } from "./running.ts";
import { stopped } from "./signals.ts";

/**
 * A worker of the documents: registers classes as jobs, sends heartbeats, claims tasks and says goodbye. With `execute`
 * it serves by itself; without, tasks are claimed with `claim` or `listen`.
 *
 * @example
 * ```ts
 * import { Category, type ClaimedTask, Extension, JobManager } from "leadhand";
 *
 * const vis = { rotate: (angle: number) => console.log("rotated by", angle) };
 *
 * class Rotate extends Extension {
 *   static readonly category = Category.MODIFIER;
 *   angle = 0.0;
 *
 *   override run(on: typeof vis): void {
 *     on.rotate(this.angle);
 *   }
 * }
 *
 * const execute = (task: ClaimedTask) => task.extension.run(vis);
 * const manager = new JobManager({ url: "http://127.0.0.1:7070", token: "lh_…" }, {}, { execute });
 * await manager.register(Rotate);
 * await manager.wait();
 * ```
 */
export class JobManager {
  readonly #running: Running;
  readonly #hasSocket: boolean;
  readonly #decorated: Promise<unknown>[] = [];
  #ending: Promise<void> | undefined;

  /**
   * `socket` is the host's own `socket.io-client` socket, or options for one of the manager's own (`{}` will do). Without
   * it the manager looks for tasks every `pollingInterval` seconds.
   */
  constructor(
    api: ApiManager | ServerAddress,
    socket?: Socket | OwnSocketOptions | null,
    options: JobManagerOptions = {},
  ) {
    this.#hasSocket = Boolean(socket);
    this.#running = running(apiManagerOf(api), socket, options);
  }

  /** Null before the first registration, and after the end. */
  get workerId(): string | null {
    return this.#running.registry.workerId;
  }

  /** The registered classes, by the full names of their jobs. */
  get jobs(): ReadonlyMap<string, ExtensionClass> {
    return new Map([...this.#running.registry.jobs].map(([name, { extension }]) => [name, extension]));
  }

  /** What each provider reads from, by the providers' full names. */
  get handlers(): ReadonlyMap<string, unknown> {
    return new Map([...this.#running.registry.providers].map(([name, { handler }]) => [name, handler]));
  }

  /** Registers a class as a job. The first one makes the worker, and starts its beats. */
  readonly register: Register = ((first: ExtensionClass | RegisterOptions, second?: unknown) => {
    if (typeof first !== "function") {
      return (extension: ExtensionClass, context: ClassDecoratorContext) => this.#decorate(extension, context, first);
    }
    const isDecorated = typeof second === "object" && second !== null && "addInitializer" in second;
    if (isDecorated) return this.#decorate(first, second as ClassDecoratorContext, {});
    return this.#register(first, (second ?? {}) as RegisterOptions);
  }) as Register;

  /** Resolves when all classes that were decorated are registered; rejects where one could not be. */
  async registered(): Promise<void> {
    await Promise.all(this.#decorated);
  }

  /** Makes a worker without a job. Not needed: the first registration makes one. */
  createWorker(): Promise<string> {
    return this.#running.registry.createWorker();
  }

  /** Claims one task; null where there is none. */
  async claim(): Promise<ClaimedTask | null> {
    await this.registered();
    if (this.#running.life.stopping.aborted) throw this.#gone();
    return this.#running.claiming.claim();
  }

  /**
   * Claims one task after the other, for as long as the manager lives. Ends when it disconnects.
   *
   * @example
   * ```ts
   * import { JobManager } from "leadhand";
   *
   * export async function work(manager: JobManager, vis: unknown): Promise<void> {
   *   for await (const task of manager.listen({ pollingInterval: 2.0 })) {
   *     try {
   *       await manager.start(task);
   *       await manager.complete(task, await task.extension.run(vis));
   *     } catch (error) {
   *       await manager.fail(task, error);
   *     }
   *   }
   * }
   * ```
   */
  async *listen({ pollingInterval, signal }: ListenOptions = {}): AsyncGenerator<ClaimedTask, void, undefined> {
    await this.registered();
    const { claiming, pollingMs, life } = this.#running;
    const everyMs = pollingInterval === undefined ? pollingMs : msOf("pollingInterval", pollingInterval);
    while (true) {
      const task = await claiming.next(everyMs, signal);
      if (life.error !== undefined) throw life.error;
      if (task === undefined) return;
      yield task;
    }
  }

  /** From claimed to running. A task that cannot be started goes back to the server. */
  async start(task: ClaimedTask): Promise<void> {
    try {
      await this.#running.settling.start(task);
    } catch (error) {
      await this.#running.settling.giveBack(task, error);
      throw error;
    }
  }

  /** From running to completed. Rejects where the result cannot be sent, or the server refuses it: the task still runs then,
   * unless it is over or in other hands. */
  async complete(task: ClaimedTask, result?: unknown): Promise<void> {
    const { taskId: id, jobName: job, roomId: room, attempt, signal } = task;
    const facts = { id, job, room, attempt, payload: null };
    const definition = { name: job, options: {}, handler: () => result };
    const outcome = await runHandler(definition, facts, { progress() {}, log() {}, alert() {} }, signal);
    if (outcome.type === "failed") throw new Fail(outcome.message, outcome.code === null ? {} : { code: outcome.code });
    await this.#running.settling.settle(task, outcome);
  }

  /** To failed, with whatever was thrown. A task that is over, or in other hands, is left as it is. */
  async fail(task: ClaimedTask, error: unknown): Promise<void> {
    try {
      await this.#running.settling.settle(task, { type: "failed", ...failureOf(error) });
    } catch (refusal) {
      if (!hasStatus(refusal, 404, 409)) throw refusal;
      this.#running.log.warn(`Task ${task.taskId} is in other hands, or over`, refusal);
    }
  }

  /** To cancelled, by the worker itself. */
  cancel(task: ClaimedTask): Promise<void> {
    return this.#running.settling.cancel(task);
  }

  /** Sends a beat now; there is no need to. */
  heartbeat(): Promise<void> {
    return this.#running.beat();
  }

  /** Submits a task: the instance's fields are its payload. Answers the task's id. */
  async submit(extension: Extension, room: string, options: SubmitOptions = {}): Promise<string> {
    const { jobRoom = "@global", priority, delaySeconds, idempotencyKey } = options;
    const type = extension.constructor as ExtensionClass;
    const job = `${jobRoom}:${type.category}:${this.#nameOf(type, jobRoom)}`;
    const body = {
      payload: payloadOf(extension),
      ...(priority !== undefined && { priority }),
      ...(delaySeconds !== undefined && { delay_seconds: delaySeconds }),
    };
    const path = `/rooms/${encodeURIComponent(room)}/tasks/${encodeURIComponent(job)}`;
    const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
    return (await this.#running.ask<{ readonly id: string }>("POST", path, { body, headers })).body.id;
  }

  /**
   * Registers a provider; the reads it is asked for come over Socket.IO. Answers the provider's id.
   *
   * @example
   * ```ts
   * import { JobManager, Provider } from "leadhand";
   *
   * class Notes extends Provider {
   *   static readonly category = "notes";
   *
   *   override read({ name = "" }: Readonly<Record<string, string>>, notes: ReadonlyMap<string, string>) {
   *     return { text: notes.get(name) ?? null };
   *   }
   * }
   *
   * const manager = new JobManager({ url: "http://127.0.0.1:7070", token: "lh_…" }, {});
   * await manager.registerProvider(Notes, { name: "mine", handler: new Map([["a", "A note"]]) });
   * ```
   */
  async registerProvider(provider: ProviderClass, options: ProviderOptions): Promise<string> {
    if (!this.#hasSocket) throw new Error("A provider is asked over Socket.IO: give the manager a socket");
    const { name, handler, room = "@global" } = options;
    const { category, contentType = "application/json", schema } = provider;
    const body = { category, name, schema: jsonSchemaOf(schema, "input") };
    const registered = { provider, handler, room, contentType, body, id: "" };
    await this.#running.registry.addProvider(registered);
    this.#running.begin();
    return registered.id;
  }

  /** By its full name, `room:category:name`. */
  unregisterProvider(name: string): Promise<void> {
    return this.#running.registry.removeProvider(name);
  }

  /**
   * Resolves when the manager has disconnected, which SIGINT and SIGTERM bring about; a second signal waits for no task
   * any longer. Rejects where the manager could not go on.
   */
  async wait(): Promise<void> {
    const { life, log } = this.#running;
    const unlisten = onStopRequests((signal) => {
      if (life.stopping.aborted) return this.#running.hurry();
      log.info(`Received ${signal}, disconnecting`);
      void this.disconnect();
    });
    try {
      await stopped(life.stopping);
      await this.disconnect();
    } finally {
      unlisten();
    }
    if (life.error !== undefined) throw life.error;
  }

  /**
   * Claims no more, waits up to `joinTimeout` for the task under way, leaves its rooms and deletes the worker; the
   * server then fails what it still held. May be called as often as one likes, and never rejects.
   */
  disconnect(): Promise<void> {
    this.#ending ??= this.#running.end();
    return this.#ending;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disconnect();
  }

  async #register(extension: ExtensionClass, options: RegisterOptions): Promise<string> {
    const { room = "@global", name = extension.name, ...more } = options;
    const { category } = extension;
    if (typeof category !== "string") throw new TypeError(`${name} needs a static category, as in Category.MODIFIER`);
    const body = { category, name, schema: schemaOf(extension), ...more };
    const fullName = await this.#running.registry.addJob({ extension, room, body });
    this.#running.begin();
    return fullName;
  }

  /** Static fields have their values only after the decorators have run. */
  #decorate(extension: ExtensionClass, context: ClassDecoratorContext, options: RegisterOptions): void {
    context.addInitializer(() => {
      const registered = this.#register(extension, options);
      // There is nobody to catch it, so it ends the manager, which says so.
      registered.catch((error: unknown) => this.#running.life.fail(error));
      this.#decorated.push(registered);
    });
  }

  #nameOf(type: ExtensionClass, room: string): string {
    const registered = [...this.#running.registry.jobs.values()];
    return registered.find((job) => job.extension === type && job.room === room)?.body.name ?? type.name;
  }

  #gone(): Error {
    return this.#running.life.error ?? new Error("The manager has disconnected");
  }
}
