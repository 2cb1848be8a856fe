// Whether a worker hears us: it echoes the numbers we send. One that beats but echoes nothing does not read what it is
// sent, and gets nothing more until it does.

import { deafMs } from "../../core/credit.ts";

export interface HearingTest {
  /** The next number to be sent. */
  next(now: number): number;
  echoed(nonce: number): void;
  /** A worker from whom nothing is heard is not deaf but silent, which is for others to judge. */
  isDeaf(now: number, lastBeatAt: number): boolean;
}

/** More than are ever waited for. */
const waitingMax = 100;

export function hearingTest(): HearingTest {
  let last = 0;
  let waiting: { readonly nonce: number; readonly at: number }[] = [];
  return {
    next(now) {
      last += 1;
      if (waiting.length < waitingMax) waiting.push({ nonce: last, at: now });
      return last;
    },
    echoed(nonce) {
      if (nonce <= last) waiting = waiting.filter((each) => each.nonce > nonce);
    },
    isDeaf(now, lastBeatAt) {
      const [oldest] = waiting;
      return oldest !== undefined && now - oldest.at >= deafMs && lastBeatAt - oldest.at >= deafMs / 2;
    },
  };
}
