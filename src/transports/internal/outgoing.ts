// What a server has given out and not heard the end of.

import type { Assignment, Ending, Hold } from "../../core/internal-job.ts";

export interface Out {
  readonly assignment: Assignment;
  /** When it was last put into the queue. */
  sentAt: number;
  /** Who asked for it first, and runs it. */
  executor: string | null;
  /** When that one last said that it has it. */
  heldAt: number;
  /** What the one who asked is answered. */
  may: Promise<boolean> | null;
  /** Why it is to stop. */
  aborted: string | null;
}

export interface Outgoing {
  add(assignment: Assignment, now: number): Out;
  get(hold: Hold): Out | undefined;
  /** Answers whether it was there. */
  drop(out: Out): boolean;
  all(): readonly Out[];
  size(): number;
  /** Resolves when nothing is out. */
  empty(): Promise<void>;
}

export const untried: Ending = { type: "later", delayMs: 0, checkpoint: null };
/** Its executor was told to stop. */
export const handedBack: Ending = { type: "later", delayMs: 0, checkpoint: null, reason: "shutdown" };

export function stopped(message: string): Ending {
  return { type: "failed", error: { message, code: null, details: null }, retryable: true };
}

export function outgoing(): Outgoing {
  const outs = new Map<string, Out>();
  let waiting: (() => void)[] = [];
  return {
    add(assignment, now) {
      const out: Out = { assignment, sentAt: now, executor: null, heldAt: now, may: null, aborted: null };
      outs.set(keyOf(assignment), out);
      return out;
    },
    get: (hold) => outs.get(keyOf(hold)),
    drop({ assignment }) {
      const was = outs.delete(keyOf(assignment));
      if (outs.size === 0) {
        for (const resolve of waiting) resolve();
        waiting = [];
      }
      return was;
    },
    all: () => [...outs.values()],
    size: () => outs.size,
    empty: () => (outs.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  };
}

export function holdOf({ task, attempt, worker }: Hold): Hold {
  return { task, attempt, worker };
}

function keyOf({ task, attempt, worker }: Hold): string {
  return `${task} ${attempt} ${worker}`;
}
