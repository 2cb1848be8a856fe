// When to stop asking. What this worker may not have goes to the end of its queue, so that it meets all that waits there: it
// pauses only when it has been round once and got nothing, and then longer each time.

import { waitMs } from "../../../core/patience.ts";

/** What came of one claim. */
export interface Claimed {
  readonly claimed: number;
  /** Tasks that wait for somebody else, or for a place. */
  readonly refused: readonly string[];
}

export interface FruitlessRounds {
  /** How long to wait after this; 0: not at all. */
  pauseMs(last: Claimed): number;
}

const waits = { baseMs: 500, capMs: 10_000 };
/** So much of a long queue is a round: each refusal costs the server a few requests. */
const roundMax = 1_000;

export function fruitlessRounds(): FruitlessRounds {
  const seen = new Set<string>();
  let rounds = 0;

  return {
    pauseMs({ claimed, refused }) {
      const isRound = claimed === 0 && (refused.some((id) => seen.has(id)) || seen.size >= roundMax);
      if (claimed > 0) rounds = 0;
      if (claimed > 0 || isRound) seen.clear();
      for (const id of refused) seen.add(id);
      if (!isRound) return 0;
      rounds += 1;
      return waitMs(waits, rounds);
    },
  };
}
