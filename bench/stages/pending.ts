// Makes the jobs and as many pending tasks as asked for: every other one in the deep lane, the rest in turn in 200 lanes.

import { deepJob, makeCatalog, wideJobs } from "../bench-catalog.ts";
import { fill } from "../bench-tasks.ts";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import { openStore } from "../place.ts";
import { benchSurroundings } from "../surroundings.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const lanes = await makeCatalog(store, around);
  const ids = await fill(store, around, lanes, { tasks, jobOf });
  await store.stop();
  // Even places are in the deep lane.
  const middle = ids[2 * Math.floor(tasks / 4)] as string;
  const last = ids[2 * Math.floor((tasks - 1) / 2)] as string;
  return { facts: { pending: tasks, middle, last } };
}

export function jobOf(n: number): string {
  return n % 2 === 0 ? deepJob : (wideJobs[(n >> 1) % wideJobs.length] as string);
}
