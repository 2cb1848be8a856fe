// The real clock, chance and ids of the SDK. Nothing else in src/sdk asks the machine for them.

import { randomUUID } from "node:crypto";

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** Milliseconds that only grow, whatever becomes of the clock; the same in all threads of a program. */
export function elapsedMs(): number {
  return Number(process.hrtime.bigint()) / 1_000_000;
}

/** In [0, 1), for jitter. */
export function chance(): number {
  return Math.random();
}

export function newKey(): string {
  return randomUUID();
}
