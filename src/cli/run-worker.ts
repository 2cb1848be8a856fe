// The Worker of the SDK, on the jobs of a file. Ends with SIGINT or SIGTERM, when what is in hand is finished.

import { StaleJobReaper, type StaleJobReaperOptions } from "../sdk/amqp/stale-job-reaper.ts";
import type { JobDefinition } from "../sdk/job.ts";
import { ServerProblem } from "../sdk/problem.ts";
import { onStopRequests } from "../sdk/stop-requests.ts";
import type { WorkerOptions } from "../sdk/worker/options.ts";
import { Worker } from "../sdk/worker.ts";
import { UsageError } from "./usage-error.ts";

/** 128 and the number of SIGTERM. */
const handedBackCode = 143;

/** For the words of the end to be written. */
const lingerMs = 1_000;

/**
 * Answers the exit code. Throws a UsageError where these jobs cannot be done so. Whatever the file has left running then, as a
 * handler or the connections of a pool, does not keep the program alive.
 */
export async function runWorker(options: WorkerOptions, jobs: readonly JobDefinition[]): Promise<number> {
  const worker = workerFor(options, jobs);
  let isHandedBack = false;
  worker.on("handedBack", () => {
    isHandedBack = true;
  });
  try {
    await worker.run();
  } finally {
    setTimeout(() => process.exit(), lingerMs).unref();
  }
  if (options.link !== "amqp" || !isHandedBack) return 0;
  // The handler that did not end would keep the program alive, and its task is another's by now.
  process.exit(handedBackCode);
}

function workerFor(options: WorkerOptions, jobs: readonly JobDefinition[]): Worker {
  try {
    const worker = new Worker(options);
    for (const job of jobs) worker.job(job);
    return worker;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}

/** `begun` is called when a signal would be heeded. Throws a UsageError where the token is no admin's. */
export async function runReaper(options: StaleJobReaperOptions, begun: () => void): Promise<number> {
  const reaper = new StaleJobReaper(options);
  const forget = onStopRequests(() => void reaper.stop());
  begun();
  try {
    await reaper.run();
  } catch (error) {
    if (!(error instanceof ServerProblem)) throw error;
    throw new UsageError(`the reaper needs an admin's token; the server says: ${error.message}`, { cause: error });
  } finally {
    forget();
  }
  return 0;
}
