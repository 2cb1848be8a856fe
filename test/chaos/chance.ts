// Chance that can be had again: the same seed makes the same choices.

import { seededRandom } from "../../src/testing/seeded-random.ts";

export interface Chance {
  /** In [0, 1). */
  fraction(): number;
  /** A whole number from 0, below the limit. */
  below(limit: number): number;
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  oneOf<T>(list: readonly T[]): T | undefined;
}

export function chance(seed: number): Chance {
  const { fraction } = seededRandom(seed);
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    between: (low, high) => low + below(high - low + 1),
    happens: (probability) => fraction() < probability,
    oneOf: (list) => list[below(list.length)],
  };
}

/** Differs from run to run, unless LEADHAND_TEST_SEED names the run whose choices are wanted again. */
export function newSeed(): number {
  return Number(process.env["LEADHAND_TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
}
