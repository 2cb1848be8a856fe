// What is remembered for a short while and in a bounded number: the oldest goes when there are too many.

import type { Clock } from "../../ports/clock.ts";

export interface ShortMemory<T> {
  get(key: string): T | undefined;
  /** `until` is the first moment at which it is forgotten. */
  put(key: string, value: T, until: number): void;
  clear(): void;
  readonly size: number;
}

export function shortMemory<T>(sizeMax: number, clock: Pick<Clock, "now">): ShortMemory<T> {
  const entries = new Map<string, { readonly value: T; readonly until: number }>();

  /** Entries live about equally long, so those that came first are the first to be over. */
  function makeRoom(now: number): void {
    for (const [key, { until }] of entries) {
      if (until > now && entries.size < sizeMax) return;
      entries.delete(key);
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (clock.now() < entry.until) return entry.value;
      entries.delete(key);
      return undefined;
    },
    put(key, value, until) {
      const now = clock.now();
      entries.delete(key);
      if (until <= now) return;
      makeRoom(now);
      entries.set(key, { value, until });
    },
    clear: () => entries.clear(),
    get size() {
      return entries.size;
    },
  };
}
