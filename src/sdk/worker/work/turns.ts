// Which tasks run: as many side by side as there are hands, in the order in which they came.

import { isPending } from "../../afterwards.ts";
import type { Outcome } from "../../run-handler.ts";
import { elapsedMs } from "../../system.ts";
import type { HeldTask } from "./held-task.ts";

export interface Turns {
  /** The first is the next. */
  readonly waiting: HeldTask[];
  /** In no order. */
  readonly running: readonly HeldTask[];
  /** Starts as many as there are free hands; those that keep the program busy for long give others a turn. */
  start(): void;
}

/** What handlers have ended by then is told before the next begin. */
const turnMs = 20;

export function turns(
  /** How many run side by side, now. */
  concurrency: () => number,
  run: (held: HeldTask) => Outcome | Promise<Outcome>,
  onHandled: (held: HeldTask, outcome: Outcome) => void,
): Turns {
  // Arrays: see `core/passage.ts` for what thousands of tasks a second make of a Set.
  const waiting: HeldTask[] = [];
  const running: HeldTask[] = [];
  let isStarting = false;

  /**
   * One after the other, not one within the other: a handler that does not wait is through before the next begins. What a
   * listener throws on the way is its author's to hear, and keeps no other task from its turn.
   */
  function start(): void {
    if (isStarting || waiting.length === 0) return;
    isStarting = true;
    try {
      startSome();
    } finally {
      isStarting = false;
    }
  }

  function startSome(): void {
    const began = elapsedMs();
    while (waiting.length > 0 && running.length < concurrency()) {
      if (elapsedMs() - began > turnMs) {
        setImmediate(start);
        break;
      }
      begin(waiting.shift() as HeldTask);
    }
  }

  function begin(held: HeldTask): void {
    held.place = running.push(held) - 1;
    held.stage = "running";
    const outcome = run(held);
    if (isPending(outcome)) void outcome.then((end) => handled(held, end));
    else handled(held, outcome);
  }

  function handled(held: HeldTask, outcome: Outcome): void {
    leave(held);
    try {
      onHandled(held, outcome);
    } finally {
      start();
    }
  }

  /** The last takes its place. */
  function leave({ place }: HeldTask): void {
    const last = running.pop();
    if (last === undefined || last.place === place) return;
    running[place] = last;
    last.place = place;
  }

  return { waiting, running, start };
}
