// Leaky buckets: so many at once, and then one in so much time, for each key. A bucket that was left alone long enough is
// full again, and so need not be remembered.

import type { Clock } from "../../ports/clock.ts";

export interface Buckets {
  /** Takes one; answers 0, or how many milliseconds are missing until there is one to take. */
  take(key: string): number;
  giveBack(key: string): void;
  /** How many are remembered. */
  readonly size: number;
}

interface Bucket {
  /** When it would be full, were it left alone. */
  fullAt: number;
}

const bucketsMax = 10_000;

/** `size` at once, and one in each `stepMs`. */
export function buckets(size: number, stepMs: number, clock: Pick<Clock, "now">): Buckets {
  const all = new Map<string, Bucket>();

  function bucketOf(key: string, now: number): Bucket {
    const bucket = all.get(key) ?? { fullAt: now };
    // The latest used is the last, so the first is the one that matters least.
    all.delete(key);
    if (all.size >= bucketsMax) all.delete(all.keys().next().value as string);
    all.set(key, bucket);
    return bucket;
  }

  return {
    take(key) {
      const now = clock.now();
      const bucket = bucketOf(key, now);
      const fullAt = Math.max(bucket.fullAt, now) + stepMs;
      const waitMs = fullAt - now - size * stepMs;
      // Fractions of a millisecond add up; a thousandth of one is nobody's request.
      if (waitMs > 0.001) return waitMs;
      bucket.fullAt = fullAt;
      return 0;
    },
    giveBack(key) {
      const bucket = all.get(key);
      if (bucket !== undefined) bucket.fullAt -= stepMs;
    },
    get size() {
      return all.size;
    },
  };
}
