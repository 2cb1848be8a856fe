// The last minutes of a worker: handlers have time to end, are asked to, and are left alone; then the last results have
// time to be answered.

import { timerMsMax } from "../crew.ts";
import type { WorkerLog } from "../options.ts";
import type { InHand } from "./in-hand.ts";

export interface ClosingTime {
  /** Handlers have so long. Called again, it shortens the time that is left. */
  begin(drainMs: number): void;
  /** It is over. */
  clear(): void;
}

export interface ClosingTimeParts {
  readonly held: InHand;
  readonly log: WorkerLog;
  /** What still ran went back without its handler. */
  onGivenUp(): void;
  /** Nobody waits any longer. */
  onEnd(): void;
}

/** Time for handlers that were asked to stop to do so, before their tasks go back without them. */
const graceMs = 1_000;
/** How long the last results wait for an answer. */
const goodbyeMs = 5_000;

export function closingTime({ held, log, onGivenUp, onEnd }: ClosingTimeParts): ClosingTime {
  const timers = new Set<NodeJS.Timeout>();
  let isHurrying = false;
  let isOver = false;

  function after(ms: number, act: () => void): void {
    if (!isOver) timers.add(setTimeout(act, ms));
  }

  function hurry(): void {
    if (isHurrying) return;
    isHurrying = true;
    held.hurry();
    after(graceMs, () => {
      for (const task of held.giveUp()) log.warn("a handler did not stop in time; its task goes back", { task });
      after(goodbyeMs, onEnd);
      onGivenUp();
    });
  }

  return {
    begin(drainMs) {
      if (drainMs === 0) hurry();
      else if (drainMs <= timerMsMax) after(drainMs, hurry);
    },
    clear() {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
