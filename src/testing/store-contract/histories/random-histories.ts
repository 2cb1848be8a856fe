import { test } from "node:test";
import fc from "fast-check";
import { systemClock } from "../../../server/system.ts";
import { memoryStore } from "../../../stores/memory/memory-store.ts";
import type { MakeStore } from "../stage.ts";
import { histories, type Operation } from "./operations.ts";
import { play } from "./play.ts";
import { startSide } from "./side.ts";

export interface HistoryOptions {
  /** How many histories are played. */
  readonly runs: number;
  /** Up to so many operations in each. Longer ones are for stores that take long to start. */
  readonly length: number;
  /** To play the histories of an earlier run again; both are printed with a failure. */
  readonly seed?: number;
  readonly path?: string;
  /** Stops early, without a failure, when it takes longer. */
  readonly limitMs: number;
}

/** Where a second server is given, every other history is played by two servers that take turns. */
export function randomHistories(
  makeStore: MakeStore,
  { runs, length, seed: given, path, limitMs }: HistoryOptions,
): void {
  const timeout = limitMs * 4 + 60_000;
  test("random histories have the answers and the outcome of the memory store", { timeout }, async (t) => {
    const seed = given ?? (fc.sample(fc.noBias(fc.integer()), 1)[0] as number);
    const time = timeFor(limitMs);
    let played = 0;
    const property = fc.asyncProperty(fc.boolean(), histories(length), async (takeTurns, history) => {
      if (time.isOver()) return;
      played += 1;
      await playOnNewStores(makeStore, takeTurns, history).catch((error: unknown) => {
        time.startShrinking();
        throw error;
      });
    });
    await fc.assert(property, { numRuns: runs, seed, ...(path === undefined ? {} : { path }) });
    t.diagnostic(`${played} histories, seed ${seed}`);
  });
}

/** So much time to find a failure, and as much again to make it small. */
function timeFor(limitMs: number) {
  const { now } = systemClock();
  let until = now() + limitMs;
  let shrinking = false;
  return {
    isOver: () => now() > until,
    startShrinking() {
      if (!shrinking) until = now() + limitMs;
      shrinking = true;
    },
  };
}

async function playOnNewStores(makeStore: MakeStore, takeTurns: boolean, history: readonly Operation[]): Promise<void> {
  const { store, second, dispose } = await makeStore();
  const stores = [store];
  try {
    if (takeTurns && second !== undefined) stores.push(await second());
    await play(history, await startSide([memoryStore()]), await startSide(stores));
  } finally {
    for (const running of stores) await running.stop();
    await dispose();
  }
}
