// Starting on a database that is there already: from opening the store to the first pulse. Loading the code is not in it.

import { startEngine } from "../../bench-engine.ts";
import type { Measured, MeasureInput } from "../../measure.ts";
import { openStore } from "../../place.ts";
import { benchSurroundings } from "../../surroundings.ts";

export async function measure(input: MeasureInput): Promise<Measured> {
  // Opening, without starting, loads the store's modules.
  await openStore(input.place, benchSurroundings());
  let stop: () => Promise<void> = async () => {};
  const { ms } = await input.timed("start", async () => {
    ({ stop } = await startEngine(input.place));
  });
  await stop();
  return { figures: { ms } };
}
