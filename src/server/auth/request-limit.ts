// So many requests a second for each token with all sessions that came of it, or for each user of JWTs. A bucket holds a second's worth: whoever was quiet
// may ask for that many at once.

import { callerOf, type Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { Clock } from "../../ports/clock.ts";
import { buckets } from "./buckets.ts";

export interface RequestLimit {
  /** Counts a request; a problem where it is one too many. */
  admit(principal: Pick<Principal, "user" | "token" | "countedWith">): Problem | null;
  /** How many buckets are remembered. */
  readonly size: number;
}

const secondMs = 1_000;

/** Null: no limit. */
export function requestLimit(perSecond: number | null, clock: Pick<Clock, "now">): RequestLimit {
  if (perSecond === null) return { admit: () => null, size: 0 };
  const all = buckets(perSecond, secondMs / perSecond, clock);
  return {
    admit(principal) {
      const waitMs = all.take(callerOf(principal));
      if (waitMs === 0) return null;
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / secondMs));
      return new Problem("rate-limited", `More than ${perSecond} requests in a second`, { retryAfterSeconds });
    },
    get size() {
      return all.size;
    },
  };
}
