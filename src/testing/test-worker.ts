// A worker of the SDK for one test: it serves these jobs, and is gone with the server.

import type { JobDefinition } from "../sdk/job.ts";
import type { WorkerOptions } from "../sdk/worker/options.ts";
import { Worker } from "../sdk/worker.ts";

/** A worker of the SDK that `testServer` has started. */
export interface TestWorker {
  /** Under which the server knows it; another one after it was lost and came back. */
  readonly id: string;
  /**
   * As a machine that fell asleep: the server hears no more signs of life of it, so it is lost once the clock has moved
   * on by its window. It notices, and registers again under another id.
   */
  silence(): void;
  /** Takes nothing new, gives handlers `drainMs` of real time (none where absent) to end, and says goodbye. */
  stop(options?: { readonly drainMs?: number }): Promise<void>;
}

export interface KnownWorker extends TestWorker {
  readonly concurrency: number;
  readonly stopped: boolean;
}

export interface TestWorkerParts {
  readonly url: string;
  readonly token: string;
  readonly silent: Set<string>;
}

/** Often, in real time, so that a handler soon hears that its task ran out of time. */
const heartbeatMs = 100;

/** Resolves when it is registered; rejects with what made that impossible. */
export async function testWorker(
  { url, token, silent }: TestWorkerParts,
  jobs: readonly JobDefinition[],
  options: WorkerOptions,
): Promise<KnownWorker> {
  const worker = new Worker({ url, token, link: "rest", heartbeatMs, signals: false, log: null, ...options });
  for (const job of jobs) worker.job(job);
  let id = "";
  let stopped = false;
  const ready = new Promise<void>((resolve) => {
    worker.on("ready", (said) => {
      id = said.worker;
      resolve();
    });
  });
  const running = worker.run().finally(() => {
    stopped = true;
  });
  await Promise.race([ready, running]);
  // What ends it later shows in its tasks.
  running.catch(() => {});
  return {
    concurrency: options.concurrency ?? 1,
    get id() {
      return id;
    },
    get stopped() {
      return stopped;
    },
    silence: () => void silent.add(id),
    async stop({ drainMs = 0 } = {}) {
      stopped = true;
      await worker.stop({ drainMs });
    },
  };
}
