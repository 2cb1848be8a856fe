// Whether a worker hears us: it echoes the numbers we send. One that beats but echoes nothing does not read what it is
// sent, and gets nothing more until it does.

import { deafMs } from "../../core/credit.ts";

/** Numbers are sent one after the other, about once a second. Thousands of workers have such a test, so it is small. */
export interface HearingTest {
  last: number;
  /** When those were sent that are waited for; the last of them is `last`. */
  waiting: number[];
}

/** The oldest of so many was sent long enough ago to be deaf. */
const waitingMax = 100;

export function hearingTest(): HearingTest {
  return { last: 0, waiting: [] };
}

/** The next number to be sent. */
export function nextNonce(test: HearingTest, now: number): number {
  test.last += 1;
  test.waiting.push(now);
  if (test.waiting.length > waitingMax) test.waiting.shift();
  return test.last;
}

export function echoed(test: HearingTest, nonce: number): void {
  const left = test.last - nonce;
  if (left >= 0) test.waiting.splice(0, Math.max(0, test.waiting.length - left));
}

/** It speaks, and we do not listen: that it did not echo what was sent so far proves nothing. */
export function excuse(test: HearingTest): void {
  test.waiting = [];
}

/** A worker from whom nothing is heard is not deaf but silent, which is for others to judge. */
export function isDeaf({ waiting: [oldest] }: HearingTest, now: number, lastBeatAt: number): boolean {
  return oldest !== undefined && now - oldest >= deafMs && lastBeatAt - oldest >= deafMs / 2;
}
