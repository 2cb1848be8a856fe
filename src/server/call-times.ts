// How long calls of one kind take: how many there were, and a histogram whose buckets grow by a fifth each, so that what
// is told is never further off than that. A call costs one step up.

export interface CallTimes {
  add(ms: number): void;
  summary(): CallSummary;
}

export interface CallSummary {
  readonly calls: number;
  readonly totalMs: number;
  readonly meanMs: number;
  readonly p95Ms: number;
  readonly maxMs: number;
}

/** From 10 µs to an hour. */
const bucketMinMs = 0.01;
const growth = Math.log(1.2);
const buckets = 128;

export function callTimes(): CallTimes {
  const counts = new Uint32Array(buckets);
  let calls = 0;
  let totalMs = 0;
  let maxMs = 0;

  /** The end of the bucket in which the one lies that is longer than 95 of 100. */
  function p95(): number {
    let left = Math.ceil(0.95 * calls);
    const nth = counts.findIndex((count) => {
      left -= count;
      return left <= 0;
    });
    return Math.min(maxMs, bucketMinMs * Math.exp(growth * nth));
  }

  return {
    add(ms) {
      calls += 1;
      totalMs += ms;
      if (ms > maxMs) maxMs = ms;
      const nth = ms <= bucketMinMs ? 0 : Math.ceil(Math.log(ms / bucketMinMs) / growth);
      counts[Math.min(nth, buckets - 1)] = (counts[Math.min(nth, buckets - 1)] as number) + 1;
    },
    summary: () => ({
      calls,
      totalMs,
      meanMs: calls === 0 ? 0 : totalMs / calls,
      p95Ms: calls === 0 ? 0 : p95(),
      maxMs,
    }),
  };
}
