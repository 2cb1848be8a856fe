// How long it takes to tell a task its place in a long line: near the front, in the middle, at the end.

import { rankOf } from "../../../src/core/lane.ts";
import type { Store } from "../../../src/ports/store.ts";
import { deepJob, laneId, readLanes } from "../../bench-catalog.ts";
import { writeOf } from "../../bench-tasks.ts";
import { addWorkers, demandOf, takerOf } from "../../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { openStore } from "../../place.ts";
import { percentile } from "../../statistics.ts";
import { type BenchSurroundings, benchSurroundings } from "../../surroundings.ts";

const nearFront = 300;
const warmUpCalls = 30;

export async function measure(input: MeasureInput): Promise<Measured> {
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const lane = laneId(await readLanes(store), deepJob);
  const ids = {
    front: await idNearFront(store, around, lane),
    middle: input.facts["middle"] as string,
    end: input.facts["last"] as string,
  };
  const figures: Record<string, number> = {};
  const calls = parameter(input, "calls");
  await input.timed("position", async () => {
    for (const [name, id] of Object.entries(ids)) {
      const times = await readTimes(store, id, lane, calls);
      figures[`${name}P50`] = percentile(times, 0.5);
      figures[`${name}P99`] = percentile(times, 0.99);
    }
  });
  await store.stop();
  return { figures };
}

/** Whoever is claimed last of a few is that far from the front once all of them were given back. */
async function idNearFront(store: Store, around: BenchSurroundings, lane: number): Promise<string> {
  const [worker] = await addWorkers(store, around, 1, [deepJob]);
  const now = around.clock.now();
  const demand = demandOf([lane], [takerOf(worker as string, nearFront)]);
  const { claimed } = await store.exchange([], [demand], now);
  const tasks = claimed[0]?.[0] ?? [];
  const writes = tasks.map((task) => writeOf(task, { type: "release", reason: "bench" }, now));
  await store.exchange(writes, [], now);
  return tasks.at(-1)?.card.id as string;
}

async function readTimes(store: Store, id: string, lane: number, calls: number): Promise<number[]> {
  const times: number[] = [];
  for (let call = -warmUpCalls; call < calls; call += 1) {
    const startedAt = performance.now();
    await store.read("positions", { asked: [{ id, rank: rankOf(0), lanes: [lane] }] });
    if (call >= 0) times.push(performance.now() - startedAt);
  }
  return times;
}
