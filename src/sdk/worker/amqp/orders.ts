// What an operator told this worker about taking work. The server gives a worker that is paused or drains nothing; a broker
// does not know of it, so whoever consumes a queue has to remember.

import { now } from "../../system.ts";
import type { WorkerCommand } from "../obedience.ts";

export interface Orders {
  heed(command: Pick<WorkerCommand, "type" | "until">): void;
  /** No work is wanted. */
  isPaused(): boolean;
  /** Called after each change, and now where it is paused. */
  follow(onChange: (isPaused: boolean) => void): void;
  /** Called when another number of tasks may run side by side. */
  onResize(act: () => void): void;
}

/** No timer runs for longer. */
const timerMsMax = 2 ** 31 - 1;

export function orders(): Orders {
  const followers: ((isPaused: boolean) => void)[] = [];
  const resized: (() => void)[] = [];
  let isPaused = false;
  let alarm: NodeJS.Timeout | undefined;

  function set(paused: boolean): void {
    clearTimeout(alarm);
    if (paused === isPaused) return;
    isPaused = paused;
    for (const follow of followers) follow(paused);
  }

  return {
    isPaused: () => isPaused,
    heed({ type, until }) {
      if (type === "concurrency") for (const act of resized) act();
      if (type === "resume") set(false);
      if (type !== "pause" && type !== "drain") return;
      set(true);
      // A drain has a deadline for what is in hand, and no end; a pause ends by itself.
      if (type === "drain" || until === null) return;
      const leftMs = Math.max(0, until.getTime() - now());
      if (leftMs <= timerMsMax) alarm = setTimeout(() => set(false), leftMs).unref();
    },
    follow(onChange) {
      followers.push(onChange);
      if (isPaused) onChange(true);
    },
    onResize: (act) => void resized.push(act),
  };
}
