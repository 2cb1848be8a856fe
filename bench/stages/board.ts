// What the dashboard is looked at with: a week of a million tasks, and a fleet of a thousand. Filled once on SQLite, it
// is kept in the system's temporary folder for whoever measures again on the same day.

import { type Facts, type Measured, type MeasureInput, parameter } from "../measure.ts";
import { openStore } from "../place.ts";
import { benchSurroundings } from "../surroundings.ts";
import { fillBoard } from "../ui/board/fill-board.ts";
import { keptBoard } from "../ui/board/kept-board.ts";
import { startedBefore } from "../ui/board/started-before.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  const size = { tasks: parameter(input, "tasks"), workers: parameter(input, "workers") };
  const kept = keptBoard(input.place, size);
  const facts = kept.take() ?? (await filled());
  return { facts };

  async function filled(): Promise<Facts> {
    const around = benchSurroundings();
    await startedBefore(input.place, around);
    const store = await openStore(input.place, around);
    await store.start();
    const made = await fillBoard(store, around, size);
    await store.stop();
    kept.put(made);
    return made;
  }
}
