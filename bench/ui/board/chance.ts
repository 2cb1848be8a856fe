// Chance that comes out the same every time, so that both stores hold the same board and a run can be repeated.

export interface Chance {
  /** In [0, 1). */
  next(): number;
  /** From 0 up to, and without, `end`. */
  below(end: number): number;
  /** True in so many of a hundred cases. */
  percent(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Mostly short, now and then long: what waiting and running times look like. At most `most`. */
  duration(mean: number, most: number): number;
  bytes(count: number): Uint8Array;
}

/** Mulberry32: small, quick, and good enough to fill a board. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const below = (end: number): number => Math.floor(next() * end);
  return {
    next,
    below,
    percent: (share) => next() * 100 < share,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    duration: (mean, most) => Math.min(most, Math.ceil(-Math.log(1 - next()) * mean)),
    bytes: (count) => Uint8Array.from({ length: count }, () => below(256)),
  };
}
