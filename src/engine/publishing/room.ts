// How much more a queue of the broker may be told. The broker is asked once a second, or sooner where somebody waits for
// room; in between, what was sent since counts as waiting.

import { roomIn } from "../../core/messages.ts";
import { isRecent } from "../../core/recent.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Courier } from "../../ports/courier.ts";

export interface Room {
  /** Asks the broker, where what is known is a second old. */
  refresh(): Promise<void>;
  /** There was none, and there may be some by now: the next refresh asks. */
  outdate(): void;
  /** By what is known now, up to so many in all; where others tell the queue too, our share of that. */
  free(most: number, sharers?: number): number;
  /** By what is known now, nothing waits in the queue, nor is on its way there. */
  isEmpty(): boolean;
  /** So many are being sent. */
  begin(count: number): void;
  /** So many of those are sent, or were not. */
  end(count: number): void;
}

const knownMs = 1_000;
/** A broker that does not answer is believed to hold what it held before, for so long. */
const silentMs = 60_000;

export function room(clock: Clock, courier: Pick<Courier, "depth">, queue: string): Room {
  let waiting = 0;
  let sent = 0;
  let underWay = 0;
  let askedAt = Number.NEGATIVE_INFINITY;
  let believedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const since = clock.now();
    askedAt = since;
    // The broker may count what is on its way, or may not: here it counts.
    const before = sent - underWay;
    const depth = await courier.depth(queue);
    if (depth === null && isRecent(believedAt, since, silentMs)) return;
    // Where nobody can tell for long, whatever is sent will say so; holding back might be for ever.
    waiting = depth ?? 0;
    sent -= before;
    believedAt = since;
  }

  return {
    async refresh() {
      if (asking === null && isRecent(askedAt, clock.now(), knownMs)) return;
      asking ??= ask().finally(() => {
        asking = null;
      });
      await asking;
    },
    outdate() {
      askedAt = Number.NEGATIVE_INFINITY;
    },
    free: (most, sharers) => roomIn(waiting, sent, most, sharers),
    isEmpty: () => waiting === 0 && sent === 0,
    begin(count) {
      sent += count;
      underWay += count;
    },
    end(count) {
      underWay -= count;
    },
  };
}
