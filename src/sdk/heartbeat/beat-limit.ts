const leastMs = 1_000;
const mostMs = 30_000;

/**
 * How long the answer to a beat is waited for. A server may give a worker up when it has missed two of them; half of the
 * time between two leaves room for another.
 */
export function beatMsMax(everyMs: number): number {
  return Math.min(Math.max(leastMs, everyMs / 2), mostMs);
}
