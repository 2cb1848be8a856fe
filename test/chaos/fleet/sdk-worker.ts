// Workers as users of the SDK write them: Worker over three of its links, and JobManager with Socket.IO.

import { WebSocket } from "ws";
import { type ApiManager, Category, Extension, JobManager, Worker } from "../../../src/sdk/index.ts";
import { type Deed, jobs, type Orders, perform, retry, room, say, schema } from "./words.ts";

export async function sdkWorker({ door, url, token, labels = {}, concurrency = 2 }: Orders): Promise<void> {
  const link = door === "sdk-fleet" ? "fleet" : door === "rest" ? "rest" : "work";
  const often = { heartbeatMs: 1_000, pollMs: 100, drainMs: 10_000, prefetch: link === "work" ? 2 : 0 };
  const worker = new Worker({ url, token, link, concurrency, labels, ...often, log: quiet });
  let id = "";
  const told = tapResults(() => id);
  for (const name of link === "fleet" ? [jobs.sdkBlock] : [jobs.mixed, jobs.night]) {
    worker.job(name, { input: schema, retry }, async (task) => {
      say({ began: task.id, attempt: task.attempt });
      await perform(task.input as Deed, task.attempt).finally(() => told(task.id));
      return { of: task.id };
    });
  }
  worker.on("ready", (said) => {
    id = said.worker;
    say({ ready: id });
  });
  await worker.run();
}

/** Over /work a result that is answered is the sign of life that is known to have been heard. */
function tapResults(worker: () => string): (task: string) => void {
  const endedAt = new Map<string, number>();
  const emit = WebSocket.prototype.emit;
  WebSocket.prototype.emit = function (this: WebSocket, event: string | symbol, ...words: unknown[]) {
    if (event === "message") {
      for (const [, task = ""] of String(words[0]).matchAll(/"resultAck","jobId":"([^"]+)"/g)) {
        const at = endedAt.get(task);
        if (at !== undefined) say({ heard: worker(), at, answeredAt: Date.now() });
        endedAt.delete(task);
      }
    }
    return emit.call(this, event, ...words);
  };
  return (task) => void endedAt.set(task, Date.now());
}

export async function manager({ url, token }: Orders): Promise<void> {
  const api: ApiManager = {
    http: fetch,
    baseUrl: url,
    getHeaders: () => ({ authorization: `Bearer ${token}` }),
    raiseForStatus() {},
  };
  class Mixed extends Extension {
    static readonly category = Category.MODIFIER;
    static readonly schema = schema;
    run() {}
  }
  await using managing = new JobManager(
    api,
    {},
    {
      execute: async ({ taskId, task, attempt }) => {
        say({ began: taskId, attempt });
        await perform(task.payload as Deed, attempt);
      },
      heartbeatInterval: 1,
      pollingInterval: 0.5,
      startDelays: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
      log: quiet,
    },
  );
  await managing.register(Mixed, { room, policy: { onWorkerLost: "requeue", retry } });
  say({ ready: managing.workerId ?? "" });
  await managing.wait();
}

const silent = (): void => undefined;
const aloud = (message: unknown, fields?: unknown): void => console.error(message, fields ?? "");
const quiet = { debug: silent, info: silent, warn: silent, warning: silent, error: aloud };
