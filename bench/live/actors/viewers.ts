// A crowd of viewers in one room.

import { setTimeout as pause } from "node:timers/promises";
import { crowdRecord } from "../crowd-record.ts";
import { monotonicMs } from "../monotonic.ts";
import { onTold, say, told, untilLetGo } from "../stage-door.ts";
import type { CrowdWords, Happened, Verdict } from "../view-words.ts";
import { openViewer, type Viewer } from "../viewer.ts";

/** Connections that are opened at once. */
const opening = 50;
/** How long the last news may take. */
const lateMsMax = 5_000;
const lookMs = 20;

const words = told<CrowdWords>();
const record = crowdRecord(words.viewers);
const viewers: Viewer[] = [];
untilLetGo(async () => {
  for (const viewer of viewers) viewer.close();
});
while (viewers.length < words.viewers) {
  const first = viewers.length;
  const count = Math.min(opening, words.viewers - first);
  viewers.push(...(await Promise.all(Array.from({ length: count }, (_, index) => open(first + index)))));
}
const cpuBefore = process.cpuUsage();
onTold<Happened>((happened) => void judge(happened));
say({ kind: "ready" });

function open(nth: number): Promise<Viewer> {
  const onEnd = (error: Error): never => {
    throw error;
  };
  return openViewer(words, (text) => record.hear(nth, text, monotonicMs()), onEnd);
}

async function judge({ events }: Happened): Promise<void> {
  const until = monotonicMs() + lateMsMax;
  while (record.heard < events.length * words.viewers && monotonicMs() < until) await pause(lookMs);
  // To judge is no part of viewing.
  const { user, system } = process.cpuUsage(cpuBefore);
  say<Verdict>({ kind: "verdict", ...record.judge(events), cpuMs: (user + system) / 1_000 });
}
