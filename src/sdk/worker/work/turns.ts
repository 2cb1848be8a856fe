// Which tasks run: as many side by side as there are hands, in the order in which they came.

import { isPending } from "../../afterwards.ts";
import type { Outcome } from "../../run-handler.ts";
import { elapsedMs } from "../../system.ts";
import type { HeldTask } from "./held-task.ts";

export interface Turns {
  readonly waiting: Set<HeldTask>;
  readonly running: ReadonlySet<HeldTask>;
  /** Starts as many as there are free hands; those that keep the program busy for long give others a turn. */
  start(): void;
}

/** What handlers have ended by then is told before the next begin. */
const turnMs = 20;

export function turns(
  concurrency: number,
  run: (held: HeldTask) => Outcome | Promise<Outcome>,
  onHandled: (held: HeldTask, outcome: Outcome) => void,
): Turns {
  const waiting = new Set<HeldTask>();
  const running = new Set<HeldTask>();
  let isStarting = false;

  /** One after the other, not one within the other: a handler that does not wait is through before the next begins. */
  function start(): void {
    if (isStarting || waiting.size === 0) return;
    isStarting = true;
    const began = elapsedMs();
    for (const held of waiting) {
      if (running.size >= concurrency) break;
      if (elapsedMs() - began > turnMs) {
        setImmediate(start);
        break;
      }
      begin(held);
    }
    isStarting = false;
  }

  function begin(held: HeldTask): void {
    waiting.delete(held);
    running.add(held);
    held.stage = "running";
    const outcome = run(held);
    if (isPending(outcome)) void outcome.then((end) => handled(held, end));
    else handled(held, outcome);
  }

  function handled(held: HeldTask, outcome: Outcome): void {
    running.delete(held);
    onHandled(held, outcome);
    start();
  }

  return { waiting, running, start };
}
