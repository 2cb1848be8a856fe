import type { Catalog } from "../catalog.ts";
import { isPaused } from "../served-lanes.ts";

/** What belongs to lanes, by the queue that is told of them; what no queue is told of, or not now, is left out. */
export type SortedOut<Q> = <T>(things: readonly T[], laneOf: (thing: T) => number) => ReadonlyMap<Q, readonly T[]>;

export function sortedOut<Q>(
  catalog: Pick<Catalog, "lane" | "job" | "pause">,
  queues: ReadonlyMap<string, Q>,
): SortedOut<Q> {
  function queueOf(id: number): Q | null {
    const lane = catalog.lane(id);
    const queue = lane === undefined ? undefined : queues.get(lane.queue);
    // Messages of what is paused would be taken from the queue for nothing.
    if (lane === undefined || queue === undefined || isPaused(lane, catalog)) return null;
    // What is sent to a URL is sent there by the servers themselves.
    return catalog.job(lane.job)?.spec.push == null ? queue : null;
  }

  return (things, laneOf) => {
    const sorted = new Map<Q, (typeof things)[number][]>();
    for (const thing of things) {
      const queue = queueOf(laneOf(thing));
      if (queue === null) continue;
      const mine = sorted.get(queue);
      if (mine === undefined) sorted.set(queue, [thing]);
      else mine.push(thing);
    }
    return sorted;
  };
}
