// The Worker of the SDK, on the jobs of a file.

import type { JobDefinition } from "../sdk/job.ts";

export interface WorkerWords {
  readonly url: string;
  readonly token: string;
  readonly concurrency?: number;
  readonly queues?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly name?: string;
}

interface RunningWorker {
  job(definition: JobDefinition): unknown;
  /** Until SIGINT or SIGTERM; then what is in hand is finished. */
  run(): Promise<unknown>;
}

type WorkerClass = new (words: WorkerWords) => RunningWorker;

export async function runWorker(words: WorkerWords, jobs: readonly JobDefinition[]): Promise<void> {
  const { Worker } = (await import("../sdk/index.ts")) as { readonly Worker?: WorkerClass };
  if (Worker === undefined) throw new Error("This release has no Worker");
  const worker = new Worker(words);
  for (const job of jobs) worker.job(job);
  await worker.run();
}
