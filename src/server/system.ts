// The real clock, the real ids, the real chance. Nothing else in the product asks the machine for any of them.

import { randomBytes, randomFillSync } from "node:crypto";
import { uuid7, uuid7CounterMax } from "../core/uuid7.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Random } from "../ports/random.ts";

export interface SystemClock extends Clock {
  /** The time as this machine alone would tell it; what a database's clock is compared with. */
  machine(): number;
  /**
   * Lets `now` be the machine's time plus this much. Forwards it jumps; backwards it stands still until the time that
   * was told has come again.
   */
  setOffset(ms: number): void;
  /**
   * Catches up with the wall clock after the machine slept, or after its clock was set forward: a monotonic clock has
   * not counted that time. For servers whose database has no clock of its own; call it now and then.
   */
  catchUp(): void;
}

/** Milliseconds and parts of them since some time, for how long something takes. */
export function systemStopwatch(): number {
  return performance.now();
}

/** The longest time setTimeout can wait. */
const timeoutMax = 2 ** 31 - 1;

/** Less than this the wall clock may be ahead: it is being slewed, and ours with it. */
const catchUpMs = 250;

export function systemClock(): SystemClock {
  const alarms = new Set<{ arm(): void }>();
  let origin = Date.now() - performance.now();
  let offset = 0;
  let told = 0;

  function machine(): number {
    return Math.floor(origin + performance.now());
  }

  function now(): number {
    const time = Math.floor(origin + offset + performance.now());
    if (time > told) told = time;
    return told;
  }

  return {
    now,
    machine,
    setOffset(ms) {
      if (ms === offset) return;
      offset = ms;
      for (const alarm of alarms) alarm.arm();
    },
    catchUp() {
      const ahead = Date.now() - machine();
      if (ahead < catchUpMs) return;
      origin += ahead;
      for (const alarm of alarms) alarm.arm();
    },
    alarm: (at, ring) => setAlarm(now, alarms, at, ring),
  };
}

/**
 * A waiting alarm keeps the process alive: whoever sets one takes it back in its `stop()`, and a process that ended
 * because everything waited would end without a word.
 */
function setAlarm(now: () => number, alarms: Set<{ arm(): void }>, at: number, ring: () => void): () => void {
  let timer: NodeJS.Timeout;
  const alarm = {
    arm() {
      clearTimeout(timer);
      // A time that has passed is no negative wait, which Node would warn of.
      timer = setTimeout(look, Math.max(0, Math.min(at - now(), timeoutMax)));
    },
  };

  function look(): void {
    // Timers may go off a little early, a long wait takes several, and the clock may have stood still.
    if (now() < at) {
      alarm.arm();
      return;
    }
    alarms.delete(alarm);
    ring();
  }

  alarms.add(alarm);
  alarm.arm();
  return () => {
    alarms.delete(alarm);
    clearTimeout(timer);
  };
}

const idsPerRefill = 1_024;

export function systemIds(clock: Pick<Clock, "now">): Ids {
  const pool = new Uint8Array(idsPerRefill * 8);
  const chunks = Array.from({ length: idsPerRefill }, (_, index) => pool.subarray(index * 8, index * 8 + 8));
  let used = idsPerRefill;
  let time = 0;
  let counter = 0;

  return {
    next() {
      const now = clock.now();
      if (now > time) {
        time = now;
        counter = 0;
      } else if (counter < uuid7CounterMax) {
        counter += 1;
      } else {
        // This millisecond is used up; the ids of the next few stay in order all the same.
        time += 1;
        counter = 0;
      }
      if (used === idsPerRefill) {
        randomFillSync(pool);
        used = 0;
      }
      const random = chunks[used] as Uint8Array;
      used += 1;
      return uuid7(time, counter, random);
    },
  };
}

/** For jitter; secrets come from node:crypto. */
export function systemRandom(): Random {
  return { fraction: () => Math.random() };
}

/** 32 bytes that nobody can guess, as text that may stand in a URL. */
export function systemSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** Of the machine's own clock, which all its processes share and nobody sets; with fractions. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
