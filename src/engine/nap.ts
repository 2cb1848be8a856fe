// Waits that anything of interest cuts short.

import type { Clock } from "../ports/clock.ts";

export interface Nap {
  /** Aborts with the next `end`. */
  signal(): AbortSignal;
  end(): void;
  for(ms: number): Promise<void>;
}

export function napping(clock: Clock): Nap {
  let nap = new AbortController();
  const signal = (): AbortSignal => {
    nap = new AbortController();
    return nap.signal;
  };
  return {
    signal,
    end: () => nap.abort(),
    for: (ms) =>
      new Promise<void>((resolve) => {
        const silence = clock.alarm(clock.now() + ms, resolve);
        signal().addEventListener("abort", () => {
          silence();
          resolve();
        });
      }),
  };
}
