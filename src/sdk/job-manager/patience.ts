// How long to wait before the next try, and how often to try.

import { askedMs } from "../steady-api.ts";
import { chance } from "../system.ts";
import { isPassing, problemBehind } from "./host-api.ts";
import { pause } from "./wake-up.ts";

const firstMs = 500;
const longestMs = 15_000;
const chanceMsMax = 1_000;
/** A server that answers, but is not well, may be unwell about this one request alone. */
const unwellTriesMax = 10;

/** From half a second up to fifteen, with some chance in it, and no sooner than the server asks, within reason. */
export function backOffMs(triesBefore: number, error: unknown): number {
  const problem = problemBehind(error);
  const asked = problem === undefined ? 0 : askedMs(problem);
  const most = Math.min(firstMs * 2 ** Math.min(triesBefore, 10), longestMs);
  return Math.max(asked, most * (0.5 + chance() / 2));
}

/** Tries again while there is no answer, for as long as the manager lives; and some times where the answer is 5xx. */
export async function untilAnswered<T>(over: AbortSignal, request: (isRepeated: boolean) => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request(tries > 0);
    } catch (error) {
      const isTiresome = problemBehind(error) !== undefined && tries + 1 >= unwellTriesMax;
      if (!isPassing(error) || isTiresome || over.aborted) throw error;
      await pause(backOffMs(tries, error), over);
    }
  }
}

/** Tries at once and then after each of the delays, which a bit of chance prolongs. */
export async function atStart<T>(
  delaysMs: readonly number[],
  stopping: AbortSignal,
  request: () => Promise<T>,
): Promise<T> {
  for (const delayMs of delaysMs) {
    try {
      return await request();
    } catch (error) {
      if (!isPassing(error) || stopping.aborted) throw error;
      await pause(delayMs + chance() * Math.min(delayMs, chanceMsMax), stopping);
    }
  }
  return request();
}
