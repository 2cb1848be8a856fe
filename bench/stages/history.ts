// Years of history in minutes: one task is run through the store, then the database copies its rows under new ids. The
// copies are a few minutes old, so they share pages and partitions with what is measured on top of them.

import { deepJob, laneId, readLanes } from "../bench-catalog.ts";
import { completion, writeOf } from "../bench-tasks.ts";
import { addWorkers, demandOf, takerOf } from "../bench-workers.ts";
import { type Measured, type MeasureInput, parameter } from "../measure.ts";
import { openStore, type Place } from "../place.ts";
import { benchSurroundings } from "../surroundings.ts";
import { copyInPostgres } from "./copy-in-postgres.ts";
import { copyInSqlite } from "./copy-in-sqlite.ts";

/** A task that was submitted, assigned and completed. */
const eventsEach = 3;
const tasksPerMs = 4;

/** Copies of a task's rows, numbered; ids count up from `firstAt`, `tasksPerMs` of them in a millisecond. */
export interface Copying {
  readonly sample: string;
  readonly tasks: number;
  readonly firstAt: number;
  readonly tasksPerMs: number;
  /** No further slice is begun after so long. */
  readonly msMax: number;
}

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = Math.ceil(parameter(input, "events") / eventsEach);
  const sample = await finishedTask(input.place);
  const firstAt = benchSurroundings().clock.now() - Math.ceil(tasks / tasksPerMs) - 60_000;
  const copying = { sample, tasks, firstAt, tasksPerMs, msMax: 1_000 * parameter(input, "secondsMax") };
  const copied = await copy(input.place, copying);
  return { facts: { ...input.facts, events: eventsEach * copied, eventsWanted: eventsEach * tasks } };
}

function copy(place: Place, copying: Copying): Promise<number> {
  switch (place.kind) {
    case "sqlite":
      return copyInSqlite(place.file, copying);
    case "postgres":
      return copyInPostgres(place.url, copying);
    case "memory":
    case "redis":
      throw new Error(`A ${place.kind} store has no history to speak of`);
  }
}

async function finishedTask(place: Place): Promise<string> {
  const around = benchSurroundings();
  const store = await openStore(place, around);
  await store.start();
  const lane = laneId(await readLanes(store), deepJob);
  const [worker] = await addWorkers(store, around, 1, [deepJob]);
  const demand = demandOf([lane], [takerOf(worker as string, 1)]);
  const { claimed } = await store.exchange([], [demand], around.clock.now());
  const [task] = claimed[0]?.[0] ?? [];
  if (task === undefined) throw new Error("The stage has no pending task");
  await store.exchange([writeOf(task, completion, around.clock.now())], [], around.clock.now());
  await store.stop();
  return task.card.id;
}
