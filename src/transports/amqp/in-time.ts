import type { Clock } from "../../ports/clock.ts";

/** Rejects once the time is over, whatever becomes of the work. */
export async function inTime<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const takeBack = clock.alarm(clock.now() + limitMs, () => reject(new Error(`no answer within ${limitMs} ms`)));
  try {
    return await Promise.race([work, late]);
  } finally {
    takeBack();
  }
}
