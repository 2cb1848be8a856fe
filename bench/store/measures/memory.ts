// The size of the process on a database full of pending tasks, after a start and some seconds of light traffic.

import { setTimeout as pause } from "node:timers/promises";
import { deepJob } from "../../bench-catalog.ts";
import { type BenchEngine, startEngine } from "../../bench-engine.ts";
import { completion, payload } from "../../bench-tasks.ts";
import { livingWorkers } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";

const cyclesPerSecond = 50;
const megabyte = 1_048_576;

export async function measure(input: MeasureInput): Promise<Measured> {
  const before = process.memoryUsage().rss;
  const bench = await startEngine(input.place);
  const started = process.memoryUsage().rss;
  const { ids, rest } = await livingWorkers(bench, 1, [deepJob]);
  await input.timed("traffic", () => traffic(bench, ids[0] as string, parameter(input, "seconds")));
  const after = process.memoryUsage();
  rest();
  await bench.stop();
  return {
    figures: {
      rssMb: after.rss / megabyte,
      startedRssMb: started / megabyte,
      bareRssMb: before / megabyte,
      heapMb: after.heapUsed / megabyte,
    },
  };
}

async function traffic({ engine }: BenchEngine, worker: string, seconds: number): Promise<void> {
  for (let cycle = 0; cycle < seconds * cyclesPerSecond; cycle += 1) {
    await engine.submit([{ job: deepJob, room: "@global", payload: payload(cycle) }]);
    const tasks = await engine.claim({ worker, limit: 1, waitMs: 0, assign: true });
    for (const { card, row } of tasks) await engine.settle(card.id, { worker, attempt: row.attempt }, completion);
    await pause(1_000 / cyclesPerSecond);
  }
}
