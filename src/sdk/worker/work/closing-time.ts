// The last minutes of a worker: handlers have time to end, are asked to, and are left alone; then the last results have
// time to be answered.

import { timerMsMax } from "../crew.ts";
import type { WorkerLog } from "../options.ts";
import type { InHand } from "./in-hand.ts";

export interface ClosingTime {
  /** Handlers have so long. Called again, it shortens the time that is left. */
  begin(drainMs: number): void;
  /** Something has changed: if it has begun, and nothing is in hand, it may end. */
  look(): void;
  /** It is over. */
  clear(): void;
}

export interface ClosingTimeParts {
  readonly held: InHand;
  readonly log: WorkerLog;
  /** Resolves when the server has heard that no more is taken, and what it sent before has come. */
  settled(): Promise<void>;
  /** Whether there is nobody to tell anything. */
  isAlone(): boolean;
  /** Nobody waits any longer. */
  onEnd(): void;
}

/** Time for handlers that were asked to stop to do so, before their tasks go back without them. */
const graceMs = 1_000;
/** How long the last results wait for an answer. */
const goodbyeMs = 5_000;

export function closingTime({ held, log, settled, isAlone, onEnd }: ClosingTimeParts): ClosingTime {
  const timers = new Set<NodeJS.Timeout>();
  let [hasBegun, isHurrying, isSettling, isOver] = [false, false, false, false];

  function after(ms: number, act: () => void): void {
    if (!isOver) timers.add(setTimeout(act, ms));
  }

  function hurry(): void {
    if (isHurrying) return;
    isHurrying = true;
    held.hurry();
    after(graceMs, () => {
      for (const task of held.giveUp()) log.warn("a handler did not stop in time; its task goes back", { task });
      if (isAlone()) onEnd();
      after(goodbyeMs, onEnd);
      look();
    });
  }

  /** A task may be on its way to us though nothing is in hand: it goes back before we leave. */
  function look(): void {
    if (!hasBegun || isSettling || !held.isQuiet()) return;
    isSettling = true;
    void settled().then(() => {
      isSettling = false;
      if (held.isQuiet()) onEnd();
    });
  }

  return {
    begin(drainMs) {
      hasBegun = true;
      if (drainMs === 0) hurry();
      else if (drainMs <= timerMsMax) after(drainMs, hurry);
      look();
    },
    look,
    clear() {
      isOver = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
