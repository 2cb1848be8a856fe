// A worker of any of the systems, in a process of its own.

import { monotonicMs } from "../../live/monotonic.ts";
import { onTold, say, told, untilLetGo } from "../../live/stage-door.ts";
import { systemOf } from "../system.ts";
import type { Ended, Loaded, Ready, Started, WorkerOrder, WorkerWords } from "../work-words.ts";

/** Often enough to end on time, and too seldom to count. */
const tellMs = 20;

const { system, where, concurrency, prefetch, tells } = told<WorkerWords>();
const { work } = await systemOf(system);
const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
const { promise: release, resolve: letGo } = Promise.withResolvers<void>();
onTold<WorkerOrder>(({ order }) => (order === "go" ? begin() : letGo()));
say<Loaded>({ kind: "loaded" });
await begun;
let done = 0;
let lastAt = 0;
const stop = await work(where, {
  concurrency,
  prefetch,
  handle(task) {
    if (tells === "ended") return undefined;
    say<Started>({ kind: "started", task, at: monotonicMs() });
    return tells === "held" ? release : undefined;
  },
  ended(tasks) {
    done += tasks;
    lastAt = monotonicMs();
  },
});
if (tells === "ended") tellProgress();
untilLetGo(async () => {
  letGo();
  await stop();
});
say<Ready>({ kind: "ready" });

function tellProgress(): void {
  let said = 0;
  const tell = (): void => {
    if (done === said) return;
    said = done;
    say<Ended>({ kind: "ended", tasks: done, at: lastAt });
  };
  setInterval(tell, tellMs).unref();
}
