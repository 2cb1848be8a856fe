// The Worker of the SDK, on the jobs of a file. The first signal lets it finish what is in hand, the second asks handlers to
// stop and gives their tasks back, the third ends the process where it stands.

import type { JobDefinition } from "../sdk/job.ts";
import type { WorkerOptions } from "../sdk/worker/options.ts";
import { Worker } from "../sdk/worker.ts";
import { onStopRequests, type StopSignal, signalCode } from "./stop-signal.ts";

export interface RunWorker {
  readonly options: WorkerOptions;
  readonly jobs: readonly JobDefinition[];
  say(text: string): void;
}

/** Answers the signal that cut it short, if one did. */
export async function runWorker({ options, jobs, say }: RunWorker): Promise<StopSignal | null> {
  // One request may arrive as two signals, which the Worker itself would take for two requests.
  const worker = new Worker({ ...options, signals: false });
  for (const job of jobs) worker.job(job);
  let hurried: StopSignal | null = null;
  const end = onStopRequests(["SIGINT", "SIGTERM"], (signal, nth) => {
    if (nth > 2) process.exit(signalCode(signal));
    if (nth === 2) hurried = signal;
    say(nth === 1 ? "finishing what is in hand; a second signal gives it back" : "giving back what is in hand");
    void worker.stop(nth === 1 ? {} : { drainMs: 0 });
  });
  try {
    await worker.run();
    return hurried;
  } finally {
    end();
  }
}
