// When queues of the broker were last seen to hold nothing. Whatever the broker confirmed before that has left them since:
// it was taken, or it is lost. Every answer counts, for in a rush a queue is empty at some moments and never when somebody
// looks for what was lost.

import { isRecent } from "../../core/recent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Courier } from "../../ports/courier.ts";

export interface Emptiness extends Pick<Courier, "depth"> {
  /** Asks the broker about all of the queues. */
  look(): Promise<void>;
  /** When all of these held nothing at once; where that was never seen, before all time. */
  seenAt(queues: readonly string[]): number;
}

/** Where one of several is seen to be empty, the others are asked, so often at most. */
const restMs = 5_000;
/** Some queues are empty together, others at other times; those that were so last are remembered. */
const momentsMax = 100;

export function emptiness(clock: Clock, courier: Pick<Courier, "depth">, queues: readonly string[]): Emptiness {
  /** By the queues that were empty together, in the order in which they were last seen so. */
  const moments = new Map<string, { readonly empty: ReadonlySet<string>; readonly at: number }>();
  let askedAt = Number.NEGATIVE_INFINITY;

  function note(empty: readonly string[], at: number): void {
    const together = JSON.stringify(empty);
    moments.delete(together);
    moments.set(together, { empty: new Set(empty), at });
    const [oldest] = moments.keys();
    if (moments.size > momentsMax && oldest !== undefined) moments.delete(oldest);
  }

  /** What was confirmed while the broker was asked may not have been there when it looked. */
  async function ask(since: number, known: string | null): Promise<void> {
    const empty = [...(known === null ? [] : [known]), ...(await emptyOf(queues.filter((queue) => queue !== known)))];
    // They answer one after the other: what was handed on in between, to one that had answered, is there when asked once more.
    // What is missed even so, because a consumer has it in its hands, is done twice at worst, and counts once.
    const still = new Set(empty.length > 1 ? await emptyOf(empty) : empty);
    note(
      queues.filter((queue) => still.has(queue)),
      since,
    );
  }

  async function emptyOf(asked: readonly string[]): Promise<readonly string[]> {
    const depths = await Promise.all(asked.map((queue) => courier.depth(queue)));
    return asked.filter((_, nth) => depths[nth] === 0);
  }

  return {
    async depth(queue) {
      const since = clock.now();
      const depth = await courier.depth(queue);
      if (depth !== 0) return depth;
      note([queue], since);
      if (queues.length > 1 && !isRecent(askedAt, since, restMs)) {
        askedAt = since;
        void ask(since, queue);
      }
      return depth;
    },
    look: () => ask(clock.now(), null),
    seenAt(wanted) {
      const fitting = [...moments.values()].filter(({ empty }) => wanted.every((queue) => empty.has(queue)));
      return Math.max(Number.NEGATIVE_INFINITY, ...fitting.map(({ at }) => at));
    },
  };
}
