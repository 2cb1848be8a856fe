// A tab that is left open to events: its heap after garbage collection, every minute.

import { setTimeout as pause } from "node:timers/promises";
import { type Measured, type MeasureInput, parameter, word } from "../../measure.ts";
import { askLive, openDashboard, type PageName } from "../dashboard.ts";
import { type Heap, heapOf } from "../heap.ts";
import { startLoad } from "../page-load.ts";
import { slopeOf } from "../slope.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const minutes = parameter(input, "minutes");
  const everyMs = 1_000 * parameter(input, "sampleSeconds");
  const dashboard = await openDashboard(input);
  const page = await dashboard.quiet(word(input, "page") as PageName);
  const { tools } = page;
  const load = await startLoad(dashboard.server, parameter(input, "eventsPerSecond"), input);
  // What the first minute of events brings is there to stay: lists that fill up, code that is compiled.
  await pause(everyMs);
  const startedAt = performance.now();
  const samples = [await heapOf(tools)];
  while (samples.length * everyMs <= 60_000 * minutes) {
    await pause(startedAt + samples.length * everyMs - performance.now());
    samples.push(await heapOf(tools));
  }
  const told = await askLive<number>(page, "events()");
  await load.stop();
  await dashboard.stop();
  const [first, last] = [samples[0] as Heap, samples.at(-1) as Heap];
  const heaps = samples.map(({ mb }) => mb);
  return {
    figures: {
      grownMb: last.mb - first.mb,
      startMb: first.mb,
      endMb: last.mb,
      mbPerHour: slopeOf(heaps) * (3_600_000 / everyMs),
      nodesGrown: last.nodes - first.nodes,
      listenersGrown: last.listeners - first.listeners,
      minutes,
      told,
    },
    notes: [`heap in MB, one after the other: ${heaps.map((mb) => mb.toFixed(1)).join(" ")}`],
  };
}
