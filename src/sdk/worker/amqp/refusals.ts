// Tasks that this worker may not have, and whose messages it meets all the same. Such a message goes to the end of its queue,
// where it stands in nobody's way; the server is asked about it again after a while, longer each time, and about few of them in
// a second. A worker that has been round once and got nothing rests for a moment, so that it does not turn the queue for ever.

import { waitMs } from "../../../core/patience.ts";
import { elapsedMs } from "../../system.ts";

/** What came of some messages. */
export interface Turn {
  readonly claimed: number;
  /** Tasks that the server was asked for. */
  readonly asked: readonly string[];
  /** Tasks that wait for somebody else, or for a place: those that were refused now, and those that it was not asked for. */
  readonly refused: readonly string[];
}

export interface Refusals {
  /** Whether the server is to be asked for this task now. */
  mayAsk(id: string): boolean;
  /** How long to rest after this; 0: not at all. */
  restMs(turn: Turn): number;
}

const asks = { baseMs: 250, capMs: 10_000 };
/** Once more about a task that was refused: each costs the server a few requests. */
const asksPerSecondMax = 10;
/**
 * A task that is new in the queue waits no longer for a worker that rests. By the length of the round, and not by how long it
 * took: a server that is slow must not make the rest of a short queue long.
 */
const rest = { leastMs: 500, perMessageMs: 4 };
/** So much of a long queue is a round; no rest is longer than that makes it. */
const roundMax = 1_000;
/** As many as wait in a queue where nobody says otherwise. What is forgotten is asked for once more. */
const knownMax = 10_000;

export function refusals(now: () => number = elapsedMs): Refusals {
  const known = new Map<string, { readonly times: number; readonly until: number }>();
  const met = new Set<string>();
  let second = { since: Number.NEGATIVE_INFINITY, asks: 0 };

  function isAllowedAgain(): boolean {
    if (now() - second.since >= 1_000) second = { since: now(), asks: 0 };
    second.asks += 1;
    return second.asks <= asksPerSecondMax;
  }

  function note(id: string, isRefused: boolean): void {
    const times = (known.get(id)?.times ?? 0) + 1;
    known.delete(id);
    if (!isRefused) return;
    known.set(id, { times, until: now() + waitMs(asks, times) });
    const [oldest] = known.keys();
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
  }

  return {
    mayAsk(id) {
      const before = known.get(id);
      return before === undefined || (now() >= before.until && isAllowedAgain());
    },
    restMs({ claimed, asked, refused }) {
      const still = new Set(refused);
      for (const id of asked) note(id, still.has(id));
      const isRound = claimed === 0 && (refused.some((id) => met.has(id)) || met.size >= roundMax);
      const length = met.size;
      if (claimed > 0 || isRound) met.clear();
      for (const id of refused) met.add(id);
      return isRound ? Math.max(rest.leastMs, rest.perMessageMs * length) : 0;
    },
  };
}
