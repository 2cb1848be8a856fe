import { waitMs } from "../../core/patience.ts";
import type { Clock } from "../../ports/clock.ts";

/** A broker that is there and takes nothing is not asked in vain each second: waits double with each refusal. */
export interface Rest {
  isOver(): boolean;
  refused(): void;
  accepted(): void;
}

export function rest(clock: Clock, baseMs: number, capMs: number): Rest {
  let refusals = 0;
  let until = Number.NEGATIVE_INFINITY;
  return {
    isOver: () => clock.now() >= until,
    refused() {
      refusals += 1;
      until = clock.now() + waitMs({ baseMs, capMs }, refusals);
    },
    accepted() {
      refusals = 0;
      until = Number.NEGATIVE_INFINITY;
    },
  };
}
