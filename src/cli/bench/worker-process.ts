// A worker in a process of its own. Its job does nothing.

import { Worker } from "../../sdk/worker.ts";
import { monotonicMs } from "../../server/system.ts";
import { benchJob, type Progress, type Ready, type Started, type WorkerWords } from "./words.ts";

const tellMs = 500;

process.once("message", async ({ url, token, concurrency, queue, tasks }: WorkerWords) => {
  const worker = new Worker({ url, token, concurrency, queues: [queue], signals: false, log: null });
  let startedAt = 0;
  let [ended, endedAt] = [0, 0];
  const tell = (): void => say<Progress>({ kind: "progress", ended, startedAt, endedAt });
  worker.job(benchJob, {}, () => {
    if (tasks === null) say<Started>({ kind: "started", at: monotonicMs() });
    else if (startedAt === 0) startedAt = monotonicMs();
    return null;
  });
  worker.on("ready", () => say<Ready>({ kind: "ready" }));
  let stopping = false;
  worker.on("task", ({ id, ending, error }) => {
    // What is in hand when it has to stop goes back.
    if (stopping && ending === "released") return;
    if (ending !== "completed") throw new Error(`Task ${id} ended ${ending}: ${error}`);
    ended += 1;
    endedAt = monotonicMs();
    if (ended === tasks) tell();
  });
  process.once("disconnect", () => {
    stopping = true;
    void worker.stop({ drainMs: 0 }).finally(() => process.exit());
  });
  if (tasks !== null) setInterval(() => ended > 0 && ended < tasks && tell(), tellMs).unref();
  await worker.run().catch((error: unknown) => {
    console.error(`leadhand bench: ${error instanceof Error ? error.message : error}`);
    process.exit(1);
  });
});

function say<M extends object>(message: M): void {
  if (process.connected) process.send?.(message);
}
