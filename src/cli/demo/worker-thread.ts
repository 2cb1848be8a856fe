// One worker of the demo, in a thread of its own: it knows the server by its address alone, as one elsewhere does, and
// cannot outlive the demo.

import { parentPort, workerData } from "node:worker_threads";
import { Worker } from "../../sdk/worker.ts";
import { sampleJobs } from "./sample-jobs.ts";

export interface WorkerThreadData {
  readonly name: string;
  readonly concurrency: number;
}

/** The first word: where the server is. */
export interface StartWord {
  readonly url: string;
  readonly token: string;
}

/** Often, so that people see it beat. */
const heartbeatMs = 1_000;

parentPort?.once("message", async ({ url, token }: StartWord) => {
  const { name, concurrency } = workerData as WorkerThreadData;
  const worker = new Worker({ url, token, name, concurrency, heartbeatMs, signals: false, log: null });
  for (const job of sampleJobs) worker.job(job);
  // Any further word asks it to stop.
  parentPort?.once("message", () => void worker.stop({ drainMs: 0 }));
  await worker.run();
  parentPort?.close();
});
