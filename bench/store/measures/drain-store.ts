// Draining straight on the store port: each exchange writes the completions of the one before it, decided by core, and
// claims as many again. `flights` of them are under way at once; each serves `takers` workers of `credit` tasks.

import type { ClaimedTask } from "../../../src/ports/records.ts";
import type { Demand, Store } from "../../../src/ports/store.ts";
import { deepJob, laneId, makeCatalog } from "../../bench-catalog.ts";
import { completion, fill, writeOf } from "../../bench-tasks.ts";
import { addWorkers, demandOf, takerOf } from "../../bench-workers.ts";
import { cpuFigures, type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { openStore } from "../../place.ts";
import { type BenchSurroundings, benchSurroundings } from "../../surroundings.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const tasks = parameter(input, "tasks");
  const around = benchSurroundings();
  const store = await openStore(input.place, around);
  await store.start();
  const lanes = await makeCatalog(store, around);
  const flights = parameter(input, "flights");
  const takers = parameter(input, "takers");
  const credit = parameter(input, "credit");
  const workers = await addWorkers(store, around, flights * takers, [deepJob]);
  const demands = Array.from({ length: flights }, (_, flight) => {
    const mine = workers.slice(flight * takers, (flight + 1) * takers);
    const wanted = mine.map((worker) => takerOf(worker, credit));
    return demandOf([laneId(lanes, deepJob)], wanted);
  });

  const warmUp = Math.ceil(tasks / 20);
  await fill(store, around, lanes, { tasks: warmUp, jobOf: () => deepJob });
  await drain(store, around, demands);

  await fill(store, around, lanes, { tasks, jobOf: () => deepJob });
  let completed = 0;
  const timing = await input.timed("drain", async () => {
    completed = await drain(store, around, demands);
  });
  await store.stop();
  if (completed !== tasks) throw new Error(`${completed} of ${tasks} tasks were drained`);
  const held = flights * takers * credit;
  return { figures: { tasksPerSecond: (1_000 * tasks) / timing.ms, held, ...cpuFigures(timing, tasks) } };
}

/** Until nothing is left. Answers how many completions counted. */
async function drain(store: Store, { clock }: BenchSurroundings, demands: readonly Demand[]): Promise<number> {
  let completed = 0;

  async function fly(demand: Demand): Promise<void> {
    let hand: ClaimedTask[] = [];
    do {
      const now = clock.now();
      const writes = hand.map((task) => writeOf(task, completion, now));
      const { written, claimed } = await store.exchange(writes, [demand], now);
      for (const counted of written) if (counted) completed += 1;
      hand = (claimed[0] ?? []).flat();
    } while (hand.length > 0);
  }

  await Promise.all(demands.map(fly));
  return completed;
}
