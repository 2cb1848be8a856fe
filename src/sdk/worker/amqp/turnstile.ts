// One after the other through to a free hand, in the order in which they came. Only one waits at the hands themselves: they
// wake everybody who does.

import type { Hands } from "../hands.ts";

export interface Turnstile {
  /** Calls back as soon as a hand is free, and has to take it at once; with false when it is not wanted. */
  enter<T>(go: (mayGo: boolean) => Promise<T>): Promise<T>;
  /** Whoever waits may not go. */
  sendAway(): void;
}

export function turnstile(hands: Pick<Hands, "count" | "free">, signal: AbortSignal): Turnstile {
  let waiting: ((mayGo: boolean) => void)[] = [];
  let isServing = false;

  async function serve(): Promise<void> {
    isServing = true;
    while (waiting.length > 0) {
      await hands.free(signal);
      const count = signal.aborted ? waiting.length : Math.max(0, hands.count());
      const next = waiting.slice(0, count);
      waiting = waiting.slice(count);
      for (const go of next) go(!signal.aborted);
    }
    isServing = false;
  }

  return {
    enter(go) {
      if (signal.aborted) return go(false);
      if (waiting.length === 0 && hands.count() > 0) return go(true);
      return new Promise((resolve, reject) => {
        waiting.push((mayGo) => go(mayGo).then(resolve, reject));
        if (!isServing) void serve();
      });
    },
    sendAway() {
      for (const go of waiting.splice(0)) go(false);
    },
  };
}
