// Which tasks are this worker's own, as far as it knows, and how they come to an end.

import { passage } from "../../../core/passage.ts";
import type { Ending } from "../attempt.ts";
import type { End } from "../settle.ts";
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
  end(held: HeldTask, outcome: End): void;
  /** The end of its handler is not told. */
  drop(held: HeldTask): void;
  /** Somebody else has the last word about it by now. A result is told anyway: it may be what ended the task. */
  letGo(held: HeldTask, why: "cancelled" | "lost"): void;
  /** Answers what has to be told again, later. */
  acked(ack: Ack): HeldTask | null;
}

export function book({ onOutcome, onEnding }: BookParts): Book {
  const all = passage<string, HeldTask>();

  const find = (id: string, attempt: number | null): HeldTask | undefined => {
    const held = all.map().get(id);
    return attempt === null || held?.job.attempt === attempt ? held : undefined;
  };

  function end(held: HeldTask, outcome: End): void {
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
    all: () => all.map().values(),
    count: () => all.map().size,
    enter: (held) => all.set(held.job.id, held),
    find,
    end,
    drop,
    letGo(held, why) {
      abort(held, why);
      if (held.stage === "ended") return;
      all.delete(held.job.id);
      // A handler that runs is waited for.
      if (held.stage === "waiting") drop(held);
    },
    acked(ack) {
      const held = find(ack.jobId, ack.attempt);
      if (held === undefined || held.outcome === null) return null;
      const means = acknowledged(ack, held.outcome, held.cause);
      if (means === null) return held;
      all.delete(ack.jobId);
      onEnding(held, means.ending, means.error);
      return null;
    },
  };
}
