// What was started, and how each thing of it ends: in the reverse order, whatever happens.

import type { Log } from "../ports/log.ts";

export interface LifeLine {
  /** What ends something that was started. */
  add(stop: () => void | Promise<void>): void;
  /** Ends everything, the latest first. What fails to end does not keep the others from it. May be called twice. */
  end(): Promise<void>;
}

export function lifeLine(log: Log): LifeLine {
  const stops: (() => void | Promise<void>)[] = [];
  return {
    add: (stop) => void stops.push(stop),
    async end() {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) {
        try {
          await stop();
        } catch (error) {
          log.error("Something did not stop in good order", { error });
        }
      }
    },
  };
}
