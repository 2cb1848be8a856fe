// Whether a worker that went on with another connection holds more than it knows of. A claim for its last connection may
// be written after it came back, most of all on another server, which hears of that a moment later: what it brought was
// sent where nobody listens. So once no such claim can be under way any more, all is counted, and the rest goes back.

import type { Log } from "../../ports/log.ts";
import type { Losing } from "../losing.ts";
import type { Hands } from "./in-hand.ts";

export interface Recount {
  /** Nothing is given while it is counted: what is on its way could not be told from what went astray. */
  isUnderWay(): boolean;
  /** Once a second. */
  look(now: number): void;
}

export interface RecountParts {
  readonly worker: string;
  readonly hands: Pick<Hands, "all">;
  readonly losing: Pick<Losing, "takeBack">;
  /** When it came back. */
  readonly since: number;
  /** A connection that was silent for so long is given nothing. */
  readonly lostMs: number;
  /** Whether something may be on its way to it. */
  isAsking(): boolean;
  isOver(): boolean;
  /** It begins, or it has ended. */
  changed(): void;
}

/** A claim for a silent connection may have begun right before it was noticed. */
const claimMs = 2_000;
const againMs = 1_000;

/** For a worker that did not come back. */
export const nothingToCount: Recount = { isUnderWay: () => false, look: () => undefined };

export function recount(log: Log, parts: RecountParts): Recount {
  const { worker, hands, losing, since, isAsking, isOver, changed } = parts;
  let dueAt: number | null = since + parts.lostMs + claimMs;
  let isUnderWay = false;

  function set(underWay: boolean): void {
    isUnderWay = underWay;
    changed();
  }

  async function count(now: number): Promise<void> {
    dueAt = null;
    try {
      await losing.takeBack(worker, () => (isOver() ? null : hands.all()));
    } catch (error) {
      dueAt = now + againMs;
      log.warn("what a worker holds could not be counted; trying again", { worker, error });
    }
    set(false);
  }

  return {
    isUnderWay: () => isUnderWay,
    look(now) {
      if (dueAt === null || now < dueAt) return;
      if (!isUnderWay) set(true);
      if (!isAsking()) void count(now);
    },
  };
}
