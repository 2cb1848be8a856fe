// So many requests a second for each token, or for each user of JWTs. A bucket holds a second's worth: whoever was quiet
// may ask for that many at once. A bucket that nobody used for a second is full again, and so need not be remembered.

import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";

export interface RequestLimit {
  /** Counts a request; a problem where it is one too many. */
  admit(principal: Pick<Principal, "user" | "token">): Problem | null;
  /** How many buckets are remembered. */
  readonly size: number;
}

interface Bucket {
  /** When it would be full, were it left alone. */
  fullAt: number;
}

const bucketsMax = 10_000;
const secondMs = 1_000;

/** Null: no limit. */
export function requestLimit(perSecond: number | null, clock: Pick<Clock, "now">): RequestLimit {
  if (perSecond === null) return { admit: () => null, size: 0 };
  const stepMs = secondMs / perSecond;
  const buckets = new Map<string, Bucket>();

  function bucketOf(key: string, now: number): Bucket {
    const bucket = buckets.get(key) ?? { fullAt: now };
    // The latest used is the last, so the first is the one that matters least.
    buckets.delete(key);
    if (buckets.size >= bucketsMax) buckets.delete(buckets.keys().next().value as string);
    buckets.set(key, bucket);
    return bucket;
  }

  return {
    admit({ token, user }) {
      const now = clock.now();
      const bucket = bucketOf(token === null ? `user ${user}` : `token ${token}`, now);
      const fullAt = Math.max(bucket.fullAt, now) + stepMs;
      const waitMs = fullAt - now - secondMs;
      // Fractions of a millisecond add up; a thousandth of one is nobody's request.
      if (waitMs <= 0.001) {
        bucket.fullAt = fullAt;
        return null;
      }
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / secondMs));
      return new Problem("rate-limited", `More than ${perSecond} requests in a second`, { retryAfterSeconds });
    },
    get size() {
      return buckets.size;
    },
  };
}
