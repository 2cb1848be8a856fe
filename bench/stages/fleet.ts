// A fleet in which every worker holds a few tasks.

import { deepJob, laneId, makeCatalog } from "../bench-catalog.ts";
import { fill } from "../bench-tasks.ts";
import { addWorkers, demandOf, takerOf } from "../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import { openStore } from "../place.ts";
import { benchSurroundings } from "../surroundings.ts";

const takersEach = 100;

export async function measure(input: MeasureInput): Promise<Measured> {
  const [count, each] = [parameter(input, "workers"), parameter(input, "tasksEach")];
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const lanes = await makeCatalog(store, around);
  const workers = await addWorkers(store, around, count, [deepJob]);
  await fill(store, around, lanes, { tasks: count * each, jobOf: () => deepJob });
  let held = 0;
  for (let from = 0; from < count; from += takersEach) {
    const takers = workers.slice(from, from + takersEach).map((worker) => takerOf(worker, each));
    const { claimed } = await store.exchange([], [demandOf([laneId(lanes, deepJob)], takers)], around.clock.now());
    held += claimed.flat(2).length;
  }
  await store.stop();
  if (held !== count * each) throw new Error(`${held} of ${count * each} tasks are held`);
  return { facts: { workers: count, held } };
}
