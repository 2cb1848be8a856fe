import { openStore, type Place } from "../../place.ts";
import type { BenchSurroundings } from "../../surroundings.ts";
import { boardMs } from "./fill-board.ts";

/**
 * Brings the database to where a server that first started a week ago would have left it: PostgreSQL keeps tasks by
 * week, and weeks are made from the present one on.
 */
export async function startedBefore(place: Place, { clock, log }: BenchSurroundings): Promise<void> {
  const ago = { ...clock, now: () => clock.now() - boardMs };
  const store = await openStore(place, { clock: ago, log });
  await store.start();
  await store.stop();
}
