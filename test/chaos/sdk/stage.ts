// A server as a process, a client that submits to it, and the end of every test here: each task is final, and
// `leadhand verify` finds nothing wrong.

import assert from "node:assert/strict";
import { after } from "node:test";
import { Client, ServerProblem, type TaskView, Worker } from "../../../src/sdk/index.ts";
import { until } from "../../../src/testing/until.ts";
import { type RestServer, type RestServerOptions, restServer } from "../rest/rest-server.ts";

export interface SdkStage {
  readonly server: RestServer;
  readonly client: Client;
  /** To the job of the room, with what its handler is to do. */
  submit(room: string, payload?: object): Promise<TaskView>;
  /** Resolves with the task as soon as this holds. */
  when(id: string, holds: (task: TaskView) => boolean, limitMs?: number): Promise<TaskView>;
  /** When something of this kind last happened to the task; by the server's clock, which is ours. */
  at(id: string, type: string): Promise<number>;
  worker(id: string): Promise<{ readonly state: string; readonly last_heartbeat: string }>;
  /** Resolves at the worker's first beat. To join a room over Socket.IO is one too, and the first where beats are rare. */
  joined(worker: string): Promise<void>;
  /** Its job went with the worker, where nothing waited for it; it is there again when the worker is, and is done. */
  worksAgain(room: string): Promise<void>;
  /** Somebody finishes what was given back; the server stops, and its database is looked into. */
  settle(): Promise<void>;
}

export const jobOf = (room: string): string => `${room}:modifiers:Work`;

/** As a server is out of the box. */
export const unhurried = {
  LEADHAND_WORKER_TIMEOUT_SECONDS: "60",
  LEADHAND_START_WITHIN: "5m",
  LEADHAND_PULSE_INTERVAL: "1s",
  LEADHAND_LEADER_LEASE: "5s",
} as const;

export async function sdkStage(options: RestServerOptions = {}): Promise<SdkStage> {
  const server = await restServer(options);
  const { url, token } = server;
  const client = new Client({ url, token });
  after(() => client.close());
  const submitted = new Map<string, string>();

  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  async function ask(path: string): Promise<any> {
    const answer = await fetch(`${url}/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
    return answer.json();
  }

  async function isFinal(id: string): Promise<void> {
    await client.wait(id, { timeoutMs: 20_000 }).catch(async (error) => {
      throw new Error(`Stranded: ${JSON.stringify(await client.get(id))}`, { cause: error });
    });
  }

  async function submit(room: string, payload: object = {}): Promise<TaskView> {
    const task = await client.submit(jobOf(room), payload);
    submitted.set(task.id, room);
    return task;
  }

  async function settle(): Promise<void> {
    const quiet = { signals: false, socket: false, log: null } as const;
    const heir = new Worker({ url, token, link: "rest", concurrency: 8, heartbeatMs: 300, ...quiet });
    for (const room of new Set(submitted.values()))
      heir.job(jobOf(room), { input: { type: "object" } }, () => "by the heir");
    const running = heir.run();
    try {
      for (const id of submitted.keys()) await isFinal(id);
    } finally {
      await heir.stop();
    }
    await running;
    assert.equal(await server.stop(), 0);
    const { code, out } = await server.command("verify", "--json");
    assert.deepEqual(JSON.parse(out).faults, []);
    assert.equal(code, 0);
  }

  return {
    ...{ server, client, submit, settle },
    async when(id, holds, limitMs = 20_000) {
      for await (const task of client.watch(id, { signal: AbortSignal.timeout(limitMs) })) {
        if (holds(task)) return task;
      }
      throw new Error(`Task ${id} ended otherwise: ${JSON.stringify(await client.get(id))}`);
    },
    async at(id, type) {
      const { items } = await ask(`/tasks/${id}/events`);
      const event = items.findLast((each: { readonly type: string }) => each.type === type);
      assert.ok(event, `${type} in ${JSON.stringify(items)}`);
      return Date.parse(event.at);
    },
    worker: (id) => ask(`/workers/${id}`),
    async joined(worker) {
      const heard = async () => (await ask(`/workers/${worker}`)).last_heartbeat;
      const { items } = await ask(`/workers/${worker}/events`);
      const registeredAt = Date.parse(items[0].at);
      await until("it has beaten", async () => Date.parse(await heard()) > registeredAt, 10_000);
    },
    async worksAgain(room) {
      const tasks: TaskView[] = [];
      const isSubmitted = async () => tasks.push(...(await submit(room).then((task) => [task], ifGone))) > 0;
      await until("the job is there", isSubmitted, 20_000);
      const [id = ""] = tasks.map((task) => task.id);
      assert.deepEqual((await client.wait(id, { timeoutMs: 20_000 })).result, { of: id });
    },
  };
}

function ifGone(error: unknown): [] {
  if (error instanceof ServerProblem && error.status === 404) return [];
  throw error;
}
