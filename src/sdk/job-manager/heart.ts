// The beats by which the server knows that a worker lives. Whoever sends them, a timer here or a thread of its own, has
// this shape.

import { backOffMs } from "./patience.ts";
import { wakeUp } from "./wake-up.ts";

export interface Heart {
  start(): void;
  /** Beats without waiting for the next time: something happened that makes one want to know. */
  now(): void;
  stop(): void;
}

export interface HeartParts {
  readonly intervalMs: number;
  /** Sends one beat and heeds its answer. Rejects where none came. */
  beat(): Promise<void>;
}

/** The first beat comes after one interval: registering counts as one. After a beat that failed the next comes sooner. */
export function timedHeart({ intervalMs, beat }: HeartParts): Heart {
  const nudge = wakeUp({ isDaemon: true });
  let isRunning = false;

  async function run(): Promise<void> {
    let failures = 0;
    let waitMs = intervalMs;
    while (isRunning) {
      await nudge.wait(waitMs);
      nudge.clear();
      if (!isRunning) return;
      try {
        await beat();
        [failures, waitMs] = [0, intervalMs];
      } catch (error) {
        waitMs = Math.min(intervalMs, backOffMs(failures, error));
        failures += 1;
      }
    }
  }

  return {
    start() {
      if (isRunning) return;
      isRunning = true;
      void run();
    },
    now: () => nudge.set(),
    stop() {
      isRunning = false;
      nudge.set();
    },
  };
}
