// The Worker of the SDK, on the jobs of a file. Ends with SIGINT or SIGTERM, when what is in hand is finished.

import type { JobDefinition } from "../sdk/job.ts";
import type { WorkerOptions } from "../sdk/worker/options.ts";
import { Worker } from "../sdk/worker.ts";

export async function runWorker(options: WorkerOptions, jobs: readonly JobDefinition[]): Promise<void> {
  const worker = new Worker(options);
  for (const job of jobs) worker.job(job);
  await worker.run();
}
