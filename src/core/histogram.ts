// Durations by size, in buckets that grow by a fifth: so many fell into each. Histograms of one kind add up, in any order,
// and what is told of them is at most a tenth off, however long or short the durations are.

/** How many durations fell into each bucket; what is behind the last is nothing. */
export type Histogram = readonly number[];

const growth = 1.2;
const perLog = 1 / Math.log(growth);

/** The last takes all that is longer: some forty days. */
export const bucketsMax = 124;

/** The first bucket is for less than a millisecond, bucket n from there on for up to growth ** (n - 1) milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms >= 1)) return 0;
  // Logarithms of whole powers come out a hair too large.
  return Math.min(bucketsMax - 1, 1 + Math.ceil(Math.log(ms) * perLog - 1e-9));
}

/** As far from the shortest as from the longest that fall into it, in proportion. */
export function bucketMs(bucket: number): number {
  return bucket <= 0 ? 0 : (2 * growth ** (bucket - 1)) / (growth + 1);
}

export function merged(a: Histogram, b: Histogram): Histogram {
  if (b.length === 0) return a;
  const [long, short] = a.length < b.length ? [b, a] : [a, b];
  return long.map((count, bucket) => count + (short[bucket] ?? 0));
}

/** Without what is empty at the end. */
export function trimmed(counts: ArrayLike<number>): Histogram {
  let length = counts.length;
  while (length > 0 && counts[length - 1] === 0) length -= 1;
  return Array.from({ length }, (_, bucket) => counts[bucket] as number);
}

/** The duration that this share of them does not exceed, in whole milliseconds; null where there is none. */
export function quantileMs(histogram: Histogram, share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.max(1, Math.ceil(total * share));
  for (const [bucket, count] of histogram.entries()) {
    left -= count;
    if (left <= 0) return Math.round(bucketMs(bucket));
  }
  return null;
}
