import { uuid7, uuid7CounterMax } from "../core/uuid7.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";

/** Ids that count up instead of being drawn. Two sources with different numbers never make the same id. */
export function countingIds(clock: Pick<Clock, "now">, source = 0): Ids {
  const tail = Uint8Array.of(0, 0, 0, 0, 0, 0, source >>> 8, source & 0xff);
  let at = Number.NEGATIVE_INFINITY;
  let counter = 0;
  return {
    next() {
      counter += 1;
      if (clock.now() > at) {
        at = clock.now();
        counter = 0;
      } else if (counter > uuid7CounterMax) {
        at += 1;
        counter = 0;
      }
      return uuid7(at, counter, tail);
    },
  };
}
