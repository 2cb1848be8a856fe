// Looking at what somebody has written, for nobody's good but his own: a payload against its schema, a schema against another. A
// large one takes the processor for a good part of a second, and everybody else's requests wait behind it. So they are looked at
// one at a time and by turns of callers, and after each the processor is left to others for as long as it took.

import { callerOf, type Principal } from "../core/access.ts";
import { Problem } from "../core/problem.ts";
import type { Clock } from "../ports/clock.ts";
import { gate } from "./gate.ts";

export type CheckTurns = <T>(who: Principal, check: () => T) => Promise<T>;

const [waitingMax, ownMax] = [200, 20];
/** However long a check has taken, or the clock was moved. */
const restMsMax = 1_000;

export function checkTurns({ clock }: { readonly clock: Clock }): CheckTurns {
  const turns = gate(1, waitingMax, ownMax);
  let restUntil = Number.NEGATIVE_INFINITY;

  /** Whatever has arrived meanwhile is heard first, also where nobody has to rest. */
  function rested(): Promise<void> {
    const isOver = clock.now() >= restUntil;
    return new Promise((resolve) => (isOver ? setImmediate(resolve) : clock.alarm(restUntil, resolve)));
  }

  async function made<T>(check: () => T): Promise<T> {
    await rested();
    const beganAt = clock.now();
    try {
      return check();
    } finally {
      const now = clock.now();
      restUntil = now + Math.min(restMsMax, Math.max(0, now - beganAt));
    }
  }

  return (who, check) => turns.pass(() => made(check), callerOf(who)) ?? tooMany();
}

async function tooMany(): Promise<never> {
  throw new Problem("rate-limited", "Too many checks wait for their turn", { retryAfterSeconds: 1 });
}
