// Workers that are connected and have nothing to do: what they cost the server, and whether their beats come on time.

import { setTimeout as pause } from "node:timers/promises";
import { startActor } from "../../live/actor.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import type { CrowdOrder, CrowdWords, Lateness } from "../crowd-words.ts";
import { produceLeadhand } from "../leadhand-server.ts";
import type { Ready } from "../work-words.ts";

const processes = 2;
/** What connecting left behind is collected meanwhile. */
const settleMs = 5_000;
const lookMs = 250;

export async function measure(input: MeasureInput): Promise<Measured> {
  const workers = parameter(input, "workers");
  const server = await produceLeadhand(input);
  const emptyMb = server.residentMb();
  const { url, token } = server.where as { readonly url: string; readonly token: string };
  const words: CrowdWords = { url, token, workers: Math.ceil(workers / processes) };
  const crowds = Array.from({ length: processes }, () => startActor("compare/actors/crowd", words, input.profiles));
  for (const crowd of crowds) await crowd.next<Ready>("ready");
  await pause(settleMs);

  const tell = (order: CrowdOrder["order"]): void => {
    for (const crowd of crowds) crowd.tell({ order } satisfies CrowdOrder);
  };
  tell("reset");
  const cpuBefore = server.cpuMs();
  let residentMb = 0;
  const { ms } = await input.timed("idle", async () => {
    for (let left = 1_000 * parameter(input, "seconds"); left > 0; left -= lookMs) {
      await pause(Math.min(lookMs, left));
      residentMb = Math.max(residentMb, server.residentMb());
    }
  });
  const cpuShare = (100 * (server.cpuMs() - cpuBefore)) / ms;
  tell("tell");
  const seen = await Promise.all(crowds.map((crowd) => crowd.next<Lateness>("lateness")));
  for (const crowd of crowds) await crowd.stop();
  await server.stop();
  const most = (of: (each: Lateness) => number): number => Math.max(...seen.map(of));
  return {
    figures: {
      residentMb,
      emptyMb,
      cpuShare,
      beatP50Ms: most(({ p50Ms }) => p50Ms),
      beatP99Ms: most(({ p99Ms }) => p99Ms),
      beatMostMs: most(({ mostMs }) => mostMs),
      lost: seen.reduce((sum, { lost }) => sum + lost, 0),
    },
  };
}
