// A Worker over REST. Its job does nothing.

import { Worker } from "../../../src/sdk/index.ts";
import { deepJob } from "../../bench-catalog.ts";
import { monotonicMs } from "../monotonic.ts";
import { say, told, untilLetGo } from "../stage-door.ts";
import type { Reached, Started, WorkWords } from "../work-words.ts";

const { url, token, concurrency, marks } = told<WorkWords>();
const worker = new Worker({ url, token, link: "rest", concurrency, log: null, signals: false });
worker.job(deepJob, {}, () => {
  if (marks.length === 0) say<Started>({ kind: "started", at: monotonicMs() });
  return { ok: true };
});
let ended = 0;
worker.on("ready", () => say({ kind: "ready" }));
worker.on("task", ({ id, ending, error }) => {
  if (ending !== "completed") throw new Error(`Task ${id} ended ${ending}: ${error}`);
  ended += 1;
  if (marks.includes(ended)) say<Reached>({ kind: "reached", tasks: ended, at: monotonicMs() });
});
untilLetGo(() => worker.stop({ drainMs: 5_000 }));
await worker.run();
