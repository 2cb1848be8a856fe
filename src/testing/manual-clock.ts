import type { Clock } from "../ports/clock.ts";

/** A clock that stands still until it is told how much time has passed. */
export interface ManualClock extends Clock {
  /** Rings the alarms that become due, in the order of their times, each at its own time. */
  advance(ms: number): void;
  /** When the next alarm rings; null where none is set. */
  nextAt(): number | null;
}

/** When the tests' world begins. */
export const worldStart = Date.UTC(2026, 0, 1);

export function manualClock(startAt: number = worldStart): ManualClock {
  let now = startAt;
  const alarms = new Set<{ readonly at: number; readonly ring: () => void }>();

  function nextUpTo(end: number) {
    let next: { readonly at: number; readonly ring: () => void } | null = null;
    for (const alarm of alarms) if (alarm.at <= end && (next === null || alarm.at < next.at)) next = alarm;
    return next;
  }

  return {
    now: () => now,
    alarm(at, ring) {
      const alarm = { at, ring };
      alarms.add(alarm);
      return () => void alarms.delete(alarm);
    },
    nextAt: () => nextUpTo(Number.POSITIVE_INFINITY)?.at ?? null,
    advance(ms) {
      const end = now + ms;
      for (let alarm = nextUpTo(end); alarm !== null; alarm = nextUpTo(end)) {
        alarms.delete(alarm);
        now = Math.max(now, alarm.at);
        alarm.ring();
      }
      now = end;
    },
  };
}
