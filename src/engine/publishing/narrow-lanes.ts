// Lanes of which only so many tasks may run at a time. No more of them are told of than may run: the others would be taken
// from their queue for nothing, again and again. Each time that somebody lets go of one, the next is told of.

import type { Log } from "../../ports/log.ts";
import { rowsMax } from "../../ports/store.ts";
import type { Surroundings } from "../surroundings.ts";
import { looking } from "./looking.ts";

export interface LanePlacesParts {
  /** How many tasks of this lane may run at a time; null for any number. */
  limitOf(lane: number): number | null;
  /** Versions of tasks that wait for a person, by task. */
  givenUp(lane: number): ReadonlyMap<string, number>;
}

/** How many more tasks of a lane may be told of: places that nobody has, and nobody was told of who may still take it. */
export function lanePlaces(
  { store, clock }: Pick<Surroundings, "store" | "clock">,
  { limitOf, givenUp }: LanePlacesParts,
): (lane: number) => Promise<number> {
  return async (lane) => {
    const most = limitOf(lane);
    if (most === null) return Number.POSITIVE_INFINITY;
    const without = givenUp(lane);
    const limit = Math.min(most + 1 + without.size, rowsMax);
    const [load, found] = await Promise.all([
      store.read("load", { workers: [], lanes: [lane] }),
      store.find("unheeded", { lane, confirmedBefore: clock.now() + 1, limit }),
    ]);
    const told = found.filter(({ task, version }) => without.get(task) !== version);
    return most - (load.lanes.get(lane) ?? 0) - told.length;
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
