// Which tasks are this worker's own, as far as it knows, and how they come to an end.

import type { Outcome } from "../../run-handler.ts";
import type { Ending } from "../attempt.ts";
import { type Ack, acknowledged } from "./acknowledged.ts";
import { abort, type HeldTask } from "./held-task.ts";

export interface BookParts {
  /** There is something to tell about its end. */
  onOutcome(held: HeldTask): void;
  /** It is through with a task. */
  onEnding(held: HeldTask, ending: Ending, error?: string): void;
}

export interface Book {
  all(): Iterable<HeldTask>;
  count(): number;
  enter(held: HeldTask): void;
  /** Any attempt where it is null. */
  find(task: string, attempt: number | null): HeldTask | undefined;
  /** This is to be told, and kept until it was answered. */
  end(held: HeldTask, outcome: Outcome): void;
  /** The end of its handler is not told. */
  drop(held: HeldTask): void;
  /** Somebody else has the last word about it by now. A result is told anyway: it may be what ended the task. */
  letGo(held: HeldTask, why: "cancelled" | "lost"): void;
  /** Answers what has to be told again, later. */
  acked(ack: Ack): HeldTask | null;
}

/**
 * A Map that thousands pass through gets a new table every few hundred, and the engine lets each table point to the next.
 * One that has grown old keeps all that come after it, with all that was ever in them, until the next full collection:
 * half of a busy worker's time. So we move to a new Map in time.
 */
const passedMax = 1_000;

export function book({ onOutcome, onEnding }: BookParts): Book {
  let all = new Map<string, HeldTask>();
  let passed = 0;

  function remove(id: string): void {
    all.delete(id);
    passed += 1;
    if (passed < passedMax || passed < all.size) return;
    all = new Map(all);
    passed = 0;
  }

  const find = (id: string, attempt: number | null): HeldTask | undefined => {
    const held = all.get(id);
    return attempt === null || held?.job.attempt === attempt ? held : undefined;
  };

  function end(held: HeldTask, outcome: Outcome): void {
    held.stage = "ended";
    held.outcome = outcome;
    onOutcome(held);
  }

  function drop(held: HeldTask): void {
    if (held.stage === "ended") return;
    held.stage = "ended";
    onEnding(held, "dropped");
  }

  return {
    all: () => all.values(),
    count: () => all.size,
    enter: (held) => void all.set(held.job.id, held),
    find,
    end,
    drop,
    letGo(held, why) {
      abort(held, why);
      if (held.stage === "ended") return;
      remove(held.job.id);
      // A handler that runs is waited for.
      if (held.stage === "waiting") drop(held);
    },
    acked(ack) {
      const held = find(ack.jobId, ack.attempt);
      if (held === undefined || held.outcome === null) return null;
      const means = acknowledged(ack, held.outcome, held.cause);
      if (means === null) return held;
      remove(ack.jobId);
      onEnding(held, means.ending, means.error);
      return null;
    },
  };
}
