// The ends of many attempts, told by one worker in one breath. Those that take the short way cost no promise each; the
// others are concluded one by one.

import type { Holder } from "../core/lease.ts";
import { Problem } from "../core/problem.ts";
import type { Conclusion } from "./concluding.ts";
import type { MovedTask } from "./folding.ts";
import type { MoveRequest, Moves } from "./moves.ts";
import type { ProgressReports } from "./progress.ts";

/** How an attempt of a task ends by its worker's word. */
export interface Ending {
  readonly task: string;
  readonly attempt: number;
  readonly move: Conclusion;
}

/**
 * `told` hears of each ending once: null when it is written, else why it is not. Never before this has returned, and of
 * those that shared a commit in the order in which they were handed in.
 */
export type ConcludeAll = <E extends Ending>(
  worker: string,
  endings: readonly E[],
  told: (ending: E, refusal: Problem | null) => void,
) => void;

export interface ConcludingAllParts {
  readonly moves: Pick<Moves, "join">;
  readonly progress: Pick<ProgressReports, "pending" | "forget">;
  /** One ending, by whichever way is open: null when it is written, now or before; else why it is not. */
  conclude(id: string, holder: Holder, move: Ending["move"]): Promise<Problem | null>;
}

interface EndingRequest<E> extends MoveRequest {
  readonly fence: { readonly holder: Holder };
  readonly move: Ending["move"];
  readonly ending: E;
}

export function concludingAll({ moves, progress, conclude }: ConcludingAllParts): ConcludeAll {
  return <E extends Ending>(
    worker: string,
    endings: readonly E[],
    told: (ending: E, refusal: Problem | null) => void,
  ): void => {
    const listener = {
      settled(request: EndingRequest<E>, _: MovedTask, missed: boolean): void {
        if (missed) {
          alone(request);
        } else {
          progress.forget(request.id);
          told(request.ending, null);
        }
      },
      failed: ({ ending }: EndingRequest<E>, error: unknown): void => told(ending, problemOf(error)),
    };

    function alone({ id, fence, move, ending }: EndingRequest<E>): void {
      conclude(id, fence.holder, move).then(
        (refusal) => told(ending, refusal),
        (error: unknown) => told(ending, problemOf(error)),
      );
    }

    for (const ending of endings) {
      const { task: id, attempt, move } = ending;
      const request = { id, fence: { holder: { worker, attempt } }, move, ending };
      if (progress.pending(id) || !joined(request)) alone(request);
    }

    /** What is wrong with the request itself is found out again, and told, by the other way. */
    function joined(request: EndingRequest<E>): boolean {
      try {
        return moves.join(request, listener);
      } catch (error) {
        if (error instanceof Problem) return false;
        throw error;
      }
    }
  };
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem("store-unavailable", "The end of the task could not be written", { cause: error });
}
