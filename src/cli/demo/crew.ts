// The workers of the demo.

import { Worker as Thread } from "node:worker_threads";
import type { StartWord, WorkerThreadData } from "./worker-thread.ts";

export const crewNames = ["demo-1", "demo-2"] as const;
export const concurrency = 3;

export interface Crew {
  /** Rejects when a worker cannot go on. */
  readonly failed: Promise<never>;
  start(where: StartWord): void;
  /** Tasks in hand go back. Returns when the threads have ended. */
  stop(): Promise<void>;
}

// The same file as it is in src/ and as it is built.
const entry = new URL(import.meta.url.endsWith(".ts") ? "./worker-thread.ts" : "./worker-thread.js", import.meta.url);

/** A worker that does not say goodbye within this time is ended all the same. */
const goodbyeMs = 3_000;

/** Threads load their code at once, beside the server that is starting. */
export function demoCrew(): Crew {
  const { promise: failed, reject } = Promise.withResolvers<never>();
  // Whoever does not wait for it must not fall over it.
  failed.catch(() => {});
  const threads = crewNames.map((name) => {
    const thread = new Thread(entry, { workerData: { name, concurrency } satisfies WorkerThreadData });
    thread.on("error", (error) => reject(new Error(`The worker ${name} failed: ${error.message}`, { cause: error })));
    return { thread, ended: new Promise<void>((resolve) => thread.once("exit", () => resolve())) };
  });

  let isStarted = false;
  return {
    failed,
    start(where) {
      isStarted = true;
      for (const { thread } of threads) thread.postMessage(where);
    },
    async stop() {
      const tooLong = setTimeout(() => threads.map(({ thread }) => thread.terminate()), goodbyeMs);
      for (const { thread } of threads) {
        if (isStarted) thread.postMessage("stop");
        else void thread.terminate();
      }
      await Promise.all(threads.map(({ ended }) => ended));
      clearTimeout(tooLong);
    },
  };
}
