// Tasks that were taken for a worker and never reached it go back, and nothing counts against them. Their worker may live
// on, so nobody else would find them: a database that is away is waited for.

import { Problem } from "../core/problem.ts";
import type { OpenTask } from "../ports/records.ts";
import type { Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export interface GivingBack {
  /** `reason` is for the history. */
  give(task: OpenTask, reason: string, delayMs?: number): void;
  /** Waits no longer; what is left is found when its worker comes back, or is lost. */
  stop(): void;
}

const retryMs = 1_000;

export function givingBack({ clock, log }: Surroundings, moves: Pick<Moves, "move">): GivingBack {
  const silences = new Set<() => void>();
  let stopped = false;

  async function give(task: OpenTask, reason: string, delayMs: number): Promise<void> {
    const { card, row } = task;
    const fence = { holder: { worker: row.worker as string, attempt: row.attempt } };
    try {
      await moves.move({ id: card.id, fence, move: { type: "release", reason, delayMs } });
    } catch (error) {
      // Cancelled meanwhile, or lost with its worker: then it is not ours to give back.
      if (error instanceof Problem && !error.retry) return;
      log.warn("a task could not be given back; trying again", { task: card.id, error });
      later(() => void give(task, reason, delayMs));
    }
  }

  function later(act: () => void): void {
    if (stopped) return;
    const silence = clock.alarm(clock.now() + retryMs, () => {
      silences.delete(silence);
      act();
    });
    silences.add(silence);
  }

  return {
    give: (task, reason, delayMs = 0) => void give(task, reason, delayMs),
    stop() {
      stopped = true;
      for (const silence of silences) silence();
      silences.clear();
    },
  };
}
