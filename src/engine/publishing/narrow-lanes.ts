// Lanes of which only so many tasks may run at a time. No more of them are told of than may run: the others would be taken
// from their queue for nothing, again and again. Each time that somebody lets go of one, the next is told of.

import type { Log } from "../../ports/log.ts";
import type { Surroundings } from "../surroundings.ts";
import { looking } from "./looking.ts";

/**
 * A line is told of from its front, so whoever was told of is found there; behind so many who came in front of them since, it
 * is forgotten. To look further would cost a walk along the whole line for each task that ends.
 */
const overtakersMax = 200;

/**
 * How many more tasks of a lane may be told of: places that nobody has, and nobody was told of who may still take it. Who has
 * not been heard for long has no claim to one: its message may be lost, and a queue that others keep full never shows that it
 * is. One message too many is put at the end by whoever takes it.
 */
export function lanePlaces(
  { store, clock, settings }: Pick<Surroundings, "store" | "clock" | "settings">,
  limitOf: (lane: number) => number | null,
): (lane: number) => Promise<number> {
  return async (lane) => {
    const most = limitOf(lane);
    if (most === null) return Number.POSITIVE_INFINITY;
    const load = await store.read("load", { workers: [], lanes: [lane] });
    const free = most - (load.lanes.get(lane) ?? 0);
    if (free <= 0) return 0;
    const confirmedSince = clock.now() - settings.republishAfterMs;
    return free - (await store.read("toldInFront", { lane, confirmedSince, among: free + overtakersMax }));
  };
}

/** Tells lanes one after the other; one that is named meanwhile comes once more. */
export function narrowLanes(
  log: Log,
  queue: string,
  tell: (lane: number) => Promise<unknown>,
): (lanes: readonly number[]) => void {
  const look = looking(log, `queue ${queue} could not be told of tasks for which there is room`);
  const waiting = new Set<number>();

  async function tellAll(): Promise<void> {
    for (const lane of waiting) {
      waiting.delete(lane);
      await tell(lane);
    }
  }

  return (lanes) => {
    if (lanes.length === 0) return;
    for (const lane of lanes) waiting.add(lane);
    look(tellAll);
  };
}
