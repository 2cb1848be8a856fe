// A worker of the SDK against a whole server, over real HTTP.

import { after } from "node:test";
import { Client, Worker, type WorkerEvents, type WorkerLog, type WorkerOptions } from "../../src/sdk/index.ts";
import { type RecordedLog, recordedLog } from "../../src/testing/recorded-log.ts";

export interface Hired {
  readonly worker: Worker;
  readonly log: RecordedLog;
  readonly endings: WorkerEvents["task"][0][];
  /** Ids under which it was registered, the latest last. */
  readonly ids: string[];
  /** Runs until the test file ends; resolves when it is registered. */
  start(): Promise<Hired>;
  /** What `run` answered. */
  running(): Promise<void>;
}

export interface Where {
  readonly url: string;
  readonly token: string;
}

export interface HireOptions extends Omit<WorkerOptions, "link"> {
  /** "rest" where absent; undefined is what a worker does by itself. */
  readonly link?: WorkerOptions["link"] | undefined;
}

/** `add` adds its jobs. Its heartbeat is fast, and it leaves the test's signals alone. */
export function hire({ url, token }: Where, add: (worker: Worker) => void, options: HireOptions = {}): Hired {
  const log = recordedLog();
  const worker = new Worker({
    ...{ url, token, link: "rest", signals: false, heartbeatMs: 100, socket: false, log: log as WorkerLog },
    ...options,
  } as WorkerOptions);
  add(worker);
  const endings: WorkerEvents["task"][0][] = [];
  const ids: string[] = [];
  worker.on("task", (ending) => void endings.push(ending)).on("ready", (said) => void ids.push(said.worker));
  let running: Promise<void> | null = null;
  after(() => worker.stop({ drainMs: 0 }));
  const hired: Hired = {
    ...{ worker, log, endings, ids },
    async start() {
      const ready = new Promise<void>((resolve) => worker.on("ready", () => resolve()));
      running = worker.run();
      await Promise.race([ready, running]);
      return hired;
    },
    running: async () => running ?? undefined,
  };
  return hired;
}

export function clientOf({ url, token }: Where): Client {
  const client = new Client({ url, token });
  after(() => client.close());
  return client;
}
