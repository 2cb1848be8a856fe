// What a manager has registered, and as whom. When the server has given the worker up, everything is registered again,
// under a new one.

import type { JsonSchema } from "../job.ts";
import type { ExtensionClass } from "./extension.ts";
import { type Ask, hasStatus } from "./host-api.ts";
import type { Life } from "./life.ts";
import { atStart, untilAnswered } from "./patience.ts";
import type { ProviderClass } from "./provider.ts";
import type { Rooms } from "./rooms.ts";
import { turns } from "./turns.ts";

export interface RegisteredJob {
  readonly extension: ExtensionClass;
  readonly room: string;
  /** Of the request, but for the worker. */
  readonly body: { readonly category: string; readonly name: string; readonly schema: JsonSchema };
}

export interface RegisteredProvider {
  readonly provider: ProviderClass;
  readonly handler: unknown;
  readonly room: string;
  readonly contentType: string;
  readonly body: { readonly category: string; readonly name: string; readonly schema: JsonSchema };
  /** As the server gave it, at the latest registration. */
  id: string;
}

export interface Registry {
  readonly jobs: ReadonlyMap<string, RegisteredJob>;
  readonly providers: ReadonlyMap<string, RegisteredProvider>;
  readonly workerId: string | null;
  createWorker(): Promise<string>;
  addJob(job: RegisteredJob): Promise<string>;
  addProvider(provider: RegisteredProvider): Promise<string>;
  removeProvider(name: string): Promise<void>;
  /** Registers all again, unless that was done since the worker of this id was the one. */
  revive(givenUp: string): Promise<void>;
  /** When all that was asked for until now is done, or has failed. */
  settled(): Promise<void>;
  clear(): void;
}

export interface RegistryParts {
  readonly ask: Ask;
  readonly life: Life;
  readonly rooms: Rooms;
  readonly startDelaysMs: readonly number[];
  /** The server gave this worker up, and with it all it held. */
  lost(workerId: string): void;
}

type Registered = { readonly room: string; readonly body: { readonly category: string; readonly name: string } };

export function registry({ ask, life, rooms, startDelaysMs, lost }: RegistryParts): Registry {
  const jobs = new Map<string, RegisteredJob>();
  const providers = new Map<string, RegisteredProvider>();
  const inTurn = turns();
  let workerId: string | null = null;

  async function put(kind: "job" | "provider", registered: Registered, more: object = {}): Promise<string> {
    const path = `/rooms/${encodeURIComponent(registered.room)}/${kind}s`;
    const body = { ...registered.body, ...more, ...(workerId !== null && { worker_id: workerId }) };
    const reply = await ask<{ readonly id: string; readonly worker_id: string }>("PUT", path, { body });
    workerId = reply.body.worker_id;
    rooms.join(kind, nameOf(registered), workerId);
    return reply.body.id;
  }

  const putJob = (job: RegisteredJob) => put("job", job);

  async function putProvider(provider: RegisteredProvider): Promise<void> {
    provider.id = await put("provider", provider, { content_type: provider.contentType });
  }

  /** Whoever was given up finds out here too, when he registers another job. */
  async function first<T>(request: () => Promise<T>): Promise<T> {
    return atStart(startDelaysMs, life.stopping, async () => {
      const as = workerId;
      try {
        return await request();
      } catch (error) {
        if (as === null || !hasStatus(error, 404)) throw error;
        await again();
        return request();
      }
    });
  }

  async function again(): Promise<void> {
    if (workerId !== null) lost(workerId);
    workerId = null;
    try {
      for (const job of jobs.values()) await untilAnswered(life.stopping, () => putJob(job));
      for (const provider of providers.values()) await untilAnswered(life.stopping, () => putProvider(provider));
      workerId ??= await postWorker();
    } catch (error) {
      // Half of it would be a worker that looks well and never gets the other half's tasks.
      life.fail(error);
      throw error;
    }
  }

  async function postWorker(): Promise<string> {
    return (await ask<{ readonly id: string }>("POST", "/workers")).body.id;
  }

  /** It stands here before it is registered: its first task may come before the answer. */
  async function add<R extends Registered>(all: Map<string, R>, registered: R, send: () => Promise<unknown>) {
    if (life.stopping.aborted) throw life.error ?? new Error("The manager has disconnected");
    const name = nameOf(registered);
    const before = all.get(name);
    all.set(name, registered);
    try {
      await first(send);
    } catch (error) {
      if (before === undefined) all.delete(name);
      else all.set(name, before);
      throw error;
    }
    return name;
  }

  return {
    jobs,
    providers,
    get workerId() {
      return workerId;
    },
    createWorker: () =>
      inTurn(async () => {
        workerId = await first(postWorker);
        return workerId;
      }),
    addJob: (job) => inTurn(() => add(jobs, job, () => putJob(job))),
    addProvider: (provider) => inTurn(() => add(providers, provider, () => putProvider(provider))),
    removeProvider: (name) =>
      inTurn(async () => {
        const provider = providers.get(name);
        if (provider === undefined) return;
        providers.delete(name);
        rooms.leave("provider", name);
        await ask("DELETE", `/providers/${provider.id}`);
      }),
    revive: (givenUp) =>
      inTurn(async () => {
        if (workerId === givenUp && !life.stopping.aborted) await again();
      }),
    settled: () => inTurn(async () => undefined),
    clear() {
      jobs.clear();
      providers.clear();
      workerId = null;
    },
  };
}

export function nameOf({ room, body }: Registered): string {
  return `${room}:${body.category}:${body.name}`;
}
