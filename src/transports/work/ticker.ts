// One clockwork for all connections: each is called once in a period, and all of them are spread over it, so that ten
// thousand cost a little all the time and not much at once. It stands still while there are none.

import type { Clock } from "../../ports/clock.ts";

export interface Ticker<T> {
  add(member: T): void;
  delete(member: T): void;
  stop(): void;
}

const slicesCount = 20;

export function ticker<T>(clock: Clock, periodMs: number, tick: (member: T) => void): Ticker<T> {
  const slices = Array.from({ length: slicesCount }, () => new Set<T>());
  const sliceMs = periodMs / slicesCount;
  let size = 0;
  let next = 0;
  let at = 0;
  let silence: (() => void) | null = null;

  function wind(from: number): void {
    at = from + sliceMs;
    silence = clock.alarm(at, ring);
  }

  function ring(): void {
    next = (next + 1) % slicesCount;
    for (const member of slices[next] as Set<T>) tick(member);
    const now = clock.now();
    // After a pause of its own it goes on from there, and makes up for nothing.
    if (size > 0) wind(now - at > periodMs ? now : at);
    else silence = null;
  }

  return {
    add(member) {
      // The slice that has just been: its turn comes after a whole period.
      const slice = slices.reduce((least, each) => (each.size < least.size ? each : least), slices[next] as Set<T>);
      slice.add(member);
      size += 1;
      if (silence === null) wind(clock.now());
    },
    delete(member) {
      if (slices.some((slice) => slice.delete(member))) size -= 1;
    },
    stop() {
      silence?.();
      silence = null;
      for (const slice of slices) slice.clear();
      size = 0;
    },
  };
}
