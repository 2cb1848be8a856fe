// A feed tells of every task of all rooms, and a busy server has more of them in a second than anybody could look at.
// What it costs has a limit: beyond so many a second the rest is left out, and that it was is said.

import { globalRoom } from "../core/name.ts";
import type { Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import { feed, feedTopic } from "./announce.ts";

export interface FeedShare {
  /** Whether one more event of a task may be told on the feed. */
  take(): boolean;
}

/** Of each server. */
export const feedPerSecondMax = 2_000;
const secondMs = 1_000;

export function feedShare(bus: Bus, clock: Clock): FeedShare {
  let from = Number.NEGATIVE_INFINITY;
  let count = 0;
  let leftOut = 0;

  function say(): void {
    // In a room that is in everyone's sight.
    if (bus.wanted(feedTopic))
      feed(bus, { rooms: [globalRoom], job: null }, JSON.stringify(["feed_skipped", { events: leftOut }]));
    leftOut = 0;
  }

  return {
    take() {
      if (!bus.wanted(feedTopic)) return false;
      const now = clock.now();
      if (now - from >= secondMs) {
        from = now;
        count = 0;
      }
      count += 1;
      if (count <= feedPerSecondMax) return true;
      if (leftOut === 0) clock.alarm(from + secondMs, say);
      leftOut += 1;
      return false;
    },
  };
}
