// A whole server on SQLite whose clock stands still until it is moved, and callers that know nothing but HTTP.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localBus } from "../../src/buses/local/local-bus.ts";
import type { Role } from "../../src/core/access.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Store } from "../../src/ports/store.ts";
import { issueToken } from "../../src/server/auth/tokens.ts";
import { readConfig } from "../../src/server/config.ts";
import { type Server, serverOn } from "../../src/server/server.ts";
import { systemIds, systemSecret } from "../../src/server/system.ts";
import { sqliteStore } from "../../src/stores/sqlite/sqlite-store.ts";
import { type ManualClock, manualClock } from "../../src/testing/manual-clock.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

export interface Caller {
  readonly token: string;
  get(path: string): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  delete(path: string): Promise<Reply>;
}

export interface FleetScene extends AsyncDisposable {
  readonly url: string;
  readonly serving: Server;
  readonly store: Store;
  readonly clock: ManualClock;
  /** Owns the workers of a test. */
  readonly owner: Caller;
  readonly admin: Caller;
  caller(user: string, role?: Role, rooms?: readonly string[]): Promise<Caller>;
  /** Moves the clock from alarm to alarm, and lets the server come to rest after each. */
  pass(ms: number): Promise<void>;
  /** The server stops, time passes, and another one starts on the same database. */
  restart(awayMs: number): Promise<void>;
}

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;

export async function fleetScene(settings: Readonly<Record<string, string>> = {}): Promise<FleetScene> {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-fleet-"));
  const file = join(folder, "leadhand.db");
  const clock = manualClock();
  const { config } = readConfig({ environment: settings, flags: { port: "0", data: folder } });
  let running = await begin();

  async function begin() {
    const kept = sqliteStore({ file, log: recordedLog() });
    const { store, isBusy } = watched(kept);
    const serving = serverOn(
      ({ log }) => ({
        ...{ clock: ringingWhatIsDue(clock), ids: systemIds(clock), random: { fraction: () => 0.5 }, database: file },
        open: async () => ({ store, bus: localBus(log) }),
        admit: async () => {},
      }),
      { config, writeLog: () => {} },
    );
    return { store: kept, isBusy, serving, url: await serving.start() };
  }

  async function caller(user: string, role: Role = "user", rooms: readonly string[] | null = null): Promise<Caller> {
    const words = { user, role, rooms, jobs: null, expiresAt: null, name: null };
    const { token } = await issueToken({ store: running.store, clock, secret: systemSecret }, words);
    return callerAt(() => running.url, token);
  }

  async function stop(): Promise<void> {
    await running.serving.stop();
    rmSync(folder, { recursive: true, force: true });
  }

  return {
    get url() {
      return running.url;
    },
    get serving() {
      return running.serving;
    },
    get store() {
      return running.store;
    },
    clock,
    owner: await caller("ada"),
    admin: await caller("admin", "admin"),
    caller,
    async pass(ms) {
      for (const end = clock.now() + ms; clock.now() < end; ) {
        clock.advance(Math.max(0, Math.min(clock.nextAt() ?? end, end) - clock.now()));
        await atRest(running.isBusy);
      }
    },
    async restart(awayMs) {
      await running.serving.stop();
      clock.advance(awayMs);
      running = await begin();
    },
    [Symbol.asyncDispose]: stop,
  };
}

export function callerAt(url: () => string, token: string): Caller {
  async function send(method: string, path: string, body?: unknown, more: Readonly<Record<string, string>> = {}) {
    const headers = { authorization: `Bearer ${token}`, ...more };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(url() + path, init);
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
  }
  return {
    token,
    get: (path) => send("GET", path),
    post: (path, body, headers) => send("POST", path, body, headers),
    delete: (path) => send("DELETE", path),
  };
}

/** Beside the database, work in this process is a matter of turns of the event loop. */
async function atRest(isBusy: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise(setImmediate);
    if (isBusy()) turn = 0;
  }
}

const slow = ["submit", "exchange", "amend", "append", "beat", "pulse", "promote", "prune", "find", "read"] as const;

/** Knows whether the database is at work. */
function watched(store: Store): { readonly store: Store; isBusy(): boolean } {
  let underWay = 0;
  const noted = (call: (...args: never[]) => Promise<unknown>) => {
    return (...args: never[]): Promise<unknown> => {
      underWay += 1;
      return call(...args).finally(() => {
        underWay -= 1;
      });
    };
  };
  const calls = slow.map((name) => [name, noted(store[name] as never)]);
  return { store: { ...store, ...Object.fromEntries(calls) }, isBusy: () => underWay > 0 };
}

function ringingWhatIsDue(clock: ManualClock): Clock {
  return {
    now: clock.now,
    alarm(at, ring) {
      if (at <= clock.now()) setImmediate(() => clock.advance(0));
      return clock.alarm(at, ring);
    },
  };
}

export const ping = { package: "fb.neops.io", name: "ping", version: "1.0.0" } as const;
export const pingId = "fb.neops.io/ping:1.0.0";

export function block(words: Readonly<Record<string, unknown>> = {}) {
  const schemas = { parameterJsonSchema: { type: "object" }, resultDataJsonSchema: { type: "object" } };
  return { ...ping, isPure: true, isIdempotent: true, ...schemas, ...words };
}

/** A worker that registered, with the blocks it offers. */
export async function aWorker(owner: Caller, blocks: readonly object[] = [block()]): Promise<string> {
  const { body } = await owner.post("/workers/register", { name: "lab-1" });
  if (blocks.length > 0)
    await owner.post("/function-blocks/register", { workerUuid: body.uuid, functionBlocks: blocks });
  return body.uuid;
}

export async function aJob(owner: Caller, words: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { body } = await owner.post("/blackboard/jobs", { functionBlock: pingId, parameters: {}, ...words });
  return body.id;
}

export async function poll(owner: Caller, workerUuid: string, max = 1) {
  return (await owner.post("/blackboard/job", { workerUuid, max })).body;
}

export async function stateOf(owner: Caller, uuid: string): Promise<string> {
  return (await owner.get(`/workers/${uuid}?findDeleted=true`)).body.state;
}

export async function jobOf(owner: Caller, id: string) {
  const { body } = await owner.get("/blackboard/jobs");
  return body.find((job: { readonly id: string }) => job.id === id);
}

/** Time passes, and the worker pings. */
export async function pinging(scene: FleetScene, uuid: string, ms: number, everyMs = 20 * second): Promise<void> {
  for (let left = ms; left > 0; left -= everyMs) {
    await scene.pass(Math.min(left, everyMs));
    await scene.owner.post(`/workers/${uuid}/ping`);
  }
}
