// A whole server for a user's own tests: real HTTP, a database in memory, and a clock that stands still until the test
// moves it.

import type { Role } from "../core/access.ts";
import type { TaskView } from "../sdk/client/words.ts";
import { Client } from "../sdk/client.ts";
import type { JobDefinition } from "../sdk/job.ts";
import type { WorkerOptions } from "../sdk/worker/options.ts";
import { issueToken } from "../server/auth/tokens.ts";
import { readConfig } from "../server/config.ts";
import { serverOn } from "../server/server.ts";
import { parseDuration } from "../server/settings/duration.ts";
import { systemClock, systemSecret } from "../server/system.ts";
import { movingTime } from "./moving-time.ts";
import { type TestFoundation, testFoundation } from "./test-foundation.ts";
import { type KnownWorker, type TestWorker, testWorker } from "./test-worker.ts";

/** How a server for tests differs from one that was just installed. */
export interface TestServerOptions {
  /** What its clock shows at first; the real time where absent. */
  readonly startAt?: Date | number;
  /** By their names in the environment, as `{ LEADHAND_MAX_REQUEUES: "1" }`. The real environment is not looked at. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How long a handler may take, in real time, before `advance` goes on without it; 500 where absent. */
  readonly patienceMs?: number;
  /** Gets the lines of the server's log, as JSON; nobody does where absent. */
  readonly log?: (line: string) => void;
}

/** What a token may do; everything that a user may where absent. */
export interface TestTokenOptions {
  readonly role?: Role;
  readonly rooms?: readonly string[];
  readonly jobs?: readonly string[];
  /** By the server's clock. */
  readonly expiresAt?: Date | number;
}

/** A server in this process, and what a test wants to do with it. */
export interface TestServer extends AsyncDisposable {
  /** `http://127.0.0.1:…`: REST below `/v1`, Socket.IO at `/socket.io/`. */
  readonly url: string;
  /** Of someone who may do everything. */
  readonly token: string;
  /** A client with that token. */
  readonly client: Client;
  tokenFor(user: string, options?: TestTokenOptions): Promise<string>;
  /** Starts a worker of the SDK on these jobs; resolves when it is registered. It ends with the server. */
  worker(jobs: JobDefinition | readonly JobDefinition[], options?: WorkerOptions): Promise<TestWorker>;
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number;
    /** The same as `advance` of the server. */
    advance(time: number | string): Promise<void>;
  };
  /**
   * Moves the clock by milliseconds or by a text such as `"90s"`, `"5m"`, `"2h"`, and returns when everything that became
   * due has happened, in its order and each at its own time. Workers stay alive meanwhile, unless they were silenced.
   */
  advance(time: number | string): Promise<void>;
  /** The server hears no more signs of life of this worker: it is lost once the clock has moved on by its window. */
  silence(worker: string): void;
  /** The task as it is now. */
  task<O = unknown>(id: string): Promise<TaskView<O>>;
  /** What has happened to the task, in order: `submitted`, `assigned`, `failed`, `retried`, `timed_out`, `lost` … */
  history(id: string): Promise<readonly string[]>;
  /** Ends its workers, and then itself. May be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts a whole server in memory, whose clock stands still until it is moved.
 *
 * @example
 * ```ts
 * import { job } from "leadhand";
 * import { testServer } from "leadhand/testing";
 *
 * const flaky = job("@global:modifiers:Flaky", { retry: { maxAttempts: 2, baseMs: 60_000 } }, ({ attempt }) => {
 *   if (attempt === 1) throw new Error("not yet");
 *   return { attempt };
 * });
 *
 * await using server = await testServer();
 * await server.worker(flaky);
 * const { id } = await server.client.submit(flaky);
 * await server.advance("1m");
 * console.log((await server.task(id)).result, await server.history(id));
 * ```
 */
export async function testServer(options: TestServerOptions = {}): Promise<TestServer> {
  const ground = testFoundation(Number(options.startAt ?? systemClock().now()));
  const flags = { host: "127.0.0.1", port: "0" };
  const { config } = readConfig({ environment: options.settings ?? {}, flags });
  const serving = serverOn(ground.lay, { config, writeLog: options.log ?? (() => {}) });
  const url = await serving.start();
  const token = await issue(ground, "admin", { role: "admin" });
  const client = new Client({ url, token });
  const workers: KnownWorker[] = [];
  const move = movingTime({
    ...{ ...ground, operations: serving.operations, patienceMs: options.patienceMs ?? 500 },
    claimsExpected: (held) => {
      const free = workers.filter(({ id, concurrency, stopped }) => !stopped && (held.get(id) ?? 0) < concurrency);
      return free.length;
    },
  });
  let moved: Promise<void> = Promise.resolve();
  async function advance(time: number | string): Promise<void> {
    const ms = durationOf(time);
    // One after the other, whoever asks; what went wrong is for whoever asked.
    const before = moved.catch(() => {});
    moved = before.then(() => move(ms));
    await moved;
  }

  async function end(): Promise<void> {
    await Promise.all(workers.map((worker) => worker.stop()));
    client.close();
    await serving.stop();
  }
  let ending: Promise<void> | null = null;
  const stop = (): Promise<void> => (ending ??= end());

  return {
    ...{ url, token, client, advance, stop, [Symbol.asyncDispose]: stop },
    clock: { now: ground.clock.now, advance },
    tokenFor: (user, words = {}) => issue(ground, user, words),
    async worker(jobs, words = {}) {
      const started = await testWorker({ url, token, silent: ground.silent }, [jobs].flat(), words);
      workers.push(started);
      return started;
    },
    silence: (worker) => void ground.silent.add(worker),
    task: (id) => client.get(id),
    history: (id) => historyOf(ground, id),
  };
}

async function issue({ store, clock }: TestFoundation, user: string, words: TestTokenOptions): Promise<string> {
  const { role = "user", rooms = null, jobs = null, expiresAt } = words;
  const request = {
    user,
    role,
    rooms,
    jobs,
    name: null,
    expiresAt: expiresAt === undefined ? null : Number(expiresAt),
  };
  return (await issueToken({ store, clock, secret: systemSecret }, request)).token;
}

const eventsMax = 500;

async function historyOf({ store }: TestFoundation, task: string): Promise<readonly string[]> {
  const { items } = await store.read("events", { task, limit: eventsMax, offset: 0 });
  return items.map(({ type }) => type.replace("task.", ""));
}

function durationOf(time: number | string): number {
  const ms = typeof time === "number" ? time : parseDuration(time, "");
  if (ms === undefined || !Number.isSafeInteger(ms) || ms < 0) {
    throw new RangeError(`'${time}' is no time to move a clock by: give milliseconds, or a text such as "5m"`);
  }
  return ms;
}
