// How long a claim takes for a worker that serves 200 lanes. What was claimed is completed outside the timing.

import type { Demand, Store } from "../../../src/ports/store.ts";
import { deepJob, emptyJobs, type LaneOf, laneIds, readLanes, wideJobs } from "../../bench-catalog.ts";
import { completion, writeOf } from "../../bench-tasks.ts";
import { addWorkers, demandOf, takerOf } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { openStore } from "../../place.ts";
import { percentile } from "../../statistics.ts";
import { type BenchSurroundings, benchSurroundings } from "../../surroundings.ts";

const warmUpCalls = 30;

/** By the name of their figures: the jobs served, and how many tasks are asked for. */
const variants = {
  even1: { jobs: wideJobs, limit: 1 },
  even10: { jobs: wideJobs, limit: 10 },
  skewed1: { jobs: [deepJob, ...wideJobs.slice(1)], limit: 1 },
  skewed10: { jobs: [deepJob, ...wideJobs.slice(1)], limit: 10 },
  empty: { jobs: emptyJobs, limit: 10 },
} as const;

export async function measure(input: MeasureInput): Promise<Measured> {
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const lanes = await readLanes(store);
  const calls = parameter(input, "calls");
  const figures: Record<string, number> = {};
  await input.timed("claims", async () => {
    for (const [name, { jobs, limit }] of Object.entries(variants)) {
      const demand = await demandFor(store, around, lanes, { jobs, limit });
      const times = await claimTimes(store, around, demand, calls);
      figures[`${name}P50`] = percentile(times, 0.5);
      figures[`${name}P99`] = percentile(times, 0.99);
    }
  });
  await store.stop();
  return { figures };
}

async function demandFor(
  store: Store,
  around: BenchSurroundings,
  lanes: LaneOf,
  { jobs, limit }: { readonly jobs: readonly string[]; readonly limit: number },
): Promise<Demand> {
  const [worker] = await addWorkers(store, around, 1, jobs);
  return demandOf(laneIds(lanes, jobs), [takerOf(worker as string, limit)]);
}

async function claimTimes(
  store: Store,
  { clock }: BenchSurroundings,
  demand: Demand,
  calls: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let call = -warmUpCalls; call < calls; call += 1) {
    const startedAt = performance.now();
    const { claimed } = await store.exchange([], [demand], clock.now());
    if (call >= 0) times.push(performance.now() - startedAt);
    const now = clock.now();
    const writes = (claimed[0]?.[0] ?? []).map((task) => writeOf(task, completion, now));
    if (writes.length > 0) await store.exchange(writes, [], now);
  }
  return times;
}
