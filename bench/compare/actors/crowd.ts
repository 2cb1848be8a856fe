// Thousands of idle workers in one process: each beats once a second, spread evenly over it. Some of them send a ping
// after their beat; the pong says that the server has read both.

import { monotonicMs } from "../../live/monotonic.ts";
import { onTold, say, told, untilLetGo } from "../../live/stage-door.ts";
import { percentile } from "../../statistics.ts";
import type { CrowdOrder, CrowdWords, Lateness } from "../crowd-words.ts";
import { type RawWorker, rawWorker } from "../raw-worker.ts";

const beatMs = 1_000;
/** So many beat at once, a hundred times a second. */
const ticks = 100;
/** Workers that are being connected at a time. */
const opening = 50;
const pingEvery = 20;

const { url, token, workers: wanted } = told<CrowdWords>();
const workers: RawWorker[] = [];
const dueAt = new Map<RawWorker, number>();
let times: number[] = [];
let lost = 0;

let nextAt = monotonicMs();
let tick = 0;
const timer = setInterval(beatAll, beatMs / ticks);
while (workers.length < wanted) {
  const count = Math.min(opening, wanted - workers.length);
  workers.push(...(await Promise.all(Array.from({ length: count }, open))));
}
onTold<CrowdOrder>(({ order }) => {
  if (order === "reset") times = [];
  else {
    if (times.length === 0) throw new Error("No beat was answered");
    const [p50Ms, p99Ms] = [percentile(times, 0.5), percentile(times, 0.99)];
    say<Lateness>({ kind: "lateness", p50Ms, p99Ms, mostMs: times.reduce((a, b) => Math.max(a, b), 0), lost });
  }
});
untilLetGo(async () => {
  clearInterval(timer);
  for (const worker of workers) worker.close();
});
say({ kind: "ready" });

async function open(): Promise<RawWorker> {
  const idle = { handle() {}, ended() {}, beats: false } as const;
  const worker = rawWorker({ url, token, concurrency: 1, prefetch: 0, ...idle });
  worker.socket.on("pong", () => times.push(monotonicMs() - (dueAt.get(worker) ?? Number.NaN)));
  await worker.ready;
  worker.socket.once("close", () => (lost += 1));
  return worker;
}

/** Every worker has its place in the second, and beats that are behind are made up for at once. */
function beatAll(): void {
  for (const now = monotonicMs(); nextAt <= now; nextAt += beatMs / ticks, tick += 1) {
    for (let nth = tick % ticks; nth < workers.length; nth += ticks) {
      const worker = workers[nth] as RawWorker;
      if (worker.socket.readyState !== worker.socket.OPEN) continue;
      worker.beat();
      if ((nth + Math.floor(nth / ticks) + Math.floor(tick / ticks)) % pingEvery !== 0) continue;
      dueAt.set(worker, nextAt);
      worker.socket.ping();
    }
  }
}
