// Adds tasks that wait for a time far ahead, in the same lanes as the others.

import { readLanes } from "../bench-catalog.ts";
import { fill } from "../bench-tasks.ts";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import { openStore } from "../place.ts";
import { benchSurroundings } from "../surroundings.ts";
import { jobOf } from "./pending.ts";

const day = 24 * 3_600_000;

export async function measure(input: MeasureInput): Promise<Measured> {
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const delayed = parameter(input, "tasks");
  await fill(store, around, await readLanes(store), { tasks: delayed, jobOf, delayMs: day });
  await store.stop();
  return { facts: { ...input.facts, delayed } };
}
