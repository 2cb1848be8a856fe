// When queues of the broker were last seen to hold nothing. Whatever the broker confirmed before that has left them since:
// it was taken, or it is lost. Every answer counts, for in a rush a queue is empty at some moments and never when somebody
// looks for what was lost.

import { isRecent } from "../../core/recent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Courier } from "../../ports/courier.ts";

export interface Emptiness extends Pick<Courier, "depth"> {
  /** Asks the broker. Answers when all of the queues held nothing at once; where that was never seen, before all time. */
  seenAt(): Promise<number>;
}

/** Where one of several is seen to be empty, the others are asked, so often at most. */
const restMs = 5_000;

export function emptiness(clock: Clock, courier: Pick<Courier, "depth">, queues: readonly string[]): Emptiness {
  let emptyAt = Number.NEGATIVE_INFINITY;
  let askedAt = Number.NEGATIVE_INFINITY;

  /** What was confirmed while the broker was asked may not have been there when it looked. */
  async function ask(others: readonly string[], since: number): Promise<void> {
    const depths = await Promise.all(others.map((queue) => courier.depth(queue)));
    if (depths.every((depth) => depth === 0)) emptyAt = since;
  }

  return {
    async depth(queue) {
      const since = clock.now();
      const depth = await courier.depth(queue);
      if (depth !== 0) return depth;
      const others = queues.filter((other) => other !== queue);
      if (others.length === 0) emptyAt = since;
      else if (!isRecent(askedAt, since, restMs)) {
        askedAt = since;
        void ask(others, since);
      }
      return depth;
    },
    async seenAt() {
      await ask(queues, clock.now());
      return emptyAt;
    },
  };
}
