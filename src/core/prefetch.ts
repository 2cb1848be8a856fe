// Tasks that a worker keeps in hand beyond what it runs. It starts them in the order in which they came, so of what a
// lost worker had, only the first may have been running; the others were never begun, and nothing counts against them.

/** Those that cannot have been started by a worker that runs so many side by side. Of what came together, any may have. */
export function neverStarted<T extends { readonly claimedAt: number | null }>(
  held: readonly T[],
  concurrency: number,
): T[] {
  const times = held.map(({ claimedAt }) => claimedAt ?? 0).sort((a, b) => a - b);
  const last = times[Math.min(concurrency, times.length) - 1];
  return last === undefined ? [] : held.filter(({ claimedAt }) => (claimedAt ?? 0) > last);
}

/** How many a worker runs side by side, where it keeps more than that in hand; null where it does not. */
export function runsOf(about: string | null): number | null {
  if (about === null) return null;
  const { concurrency, prefetch } = JSON.parse(about) as { concurrency?: unknown; prefetch?: unknown };
  const isMore = typeof prefetch === "number" && prefetch > 0;
  return isMore && typeof concurrency === "number" && concurrency >= 1 ? concurrency : null;
}
