// For how long this server has been able to hear its workers. After it was down, or when its own tick came late (a pause, a
// checkpoint, the database away), silence proves nothing. Time in which it did not listen is not counted, so moments that
// come and come keep nobody for ever; after a whole window in which it did not, that window begins anew.

import { lateTickMs, listenMs, momentMs, type Profiles, type Session } from "../core/liveness.ts";

export interface Hearing {
  /** This server is awake and the database answers. */
  tick(now: number): void;
  /** Nothing that should have been heard before this may be held against anyone who has a window of this length. */
  since(now: number, windowMs: number): number;
  /** What was said before this may never have been heard. After no more than a moment it comes, if late. */
  awayUntil(now: number): number;
  /** How much later whoever spoke last at `from` may fairly be judged: what it said since then may still be on its way. */
  unheardMs(from: number, now: number): number;
  /** The session as it may fairly be judged. */
  fair(session: Session, now: number): Session;
}

export interface HearingParts {
  readonly startedAt: number;
  readonly pulseMs: number;
  readonly profiles: Profiles;
}

/** A time in which it did not listen. */
interface Gap {
  readonly from: number;
  readonly until: number;
}

/** Who was not answered tries again, within two seconds or when it was told to. */
const againMs = 5_000;
/** Hours of a server that is late with every tick. */
const gapsKept = 10_000;

export function hearing({ startedAt, pulseMs, profiles }: HearingParts): Hearing {
  const lateMs = pulseMs + lateTickMs(profiles);
  const gaps: Gap[] = [];
  /** Of those the ones that were longer than all that came after them. */
  let longest: readonly Gap[] = [];
  let returnedAt = startedAt;
  let tickedAt = startedAt;

  /** That in which it is now. */
  function gapOf(now: number): Gap | null {
    return now - tickedAt > lateMs ? { from: tickedAt + pulseMs, until: now } : null;
  }

  function longestOf(now: number): readonly Gap[] {
    const gap = gapOf(now);
    return gap === null ? longest : [...longest.filter((each) => lengthOf(each) > lengthOf(gap)), gap];
  }

  function since(now: number, windowMs: number): number {
    return longestOf(now).findLast((gap) => lengthOf(gap) >= windowMs)?.until ?? startedAt;
  }

  function unheardMs(from: number, now: number): number {
    const gap = gapOf(now);
    let sum = gap === null ? 0 : overlap(gap, from);
    for (let nth = gaps.length - 1; nth >= 0; nth -= 1) {
      const ms = overlap(gaps[nth] as Gap, from);
      if (ms === 0) break;
      sum += ms;
    }
    return sum === 0 ? 0 : sum + againMs;
  }

  return {
    tick(now) {
      const gap = gapOf(now);
      longest = longestOf(now);
      if (gap !== null) gaps.push(gap);
      if (gaps.length > gapsKept) gaps.shift();
      if (now - tickedAt > momentMs) returnedAt = now;
      tickedAt = now;
    },
    since,
    awayUntil: (now) => (now - tickedAt > momentMs ? now : returnedAt),
    unheardMs,
    fair(session, now) {
      const { seenAt, lostMs } = session;
      const heardSince = since(now, lostMs);
      const spokeAt = Math.max(seenAt, heardSince - (lostMs - listenMs(session)));
      const fairly = Math.min(now, spokeAt + unheardMs(Math.max(seenAt, heardSince), now));
      return seenAt >= fairly ? session : { ...session, seenAt: fairly };
    },
  };
}

function lengthOf({ from, until }: Gap): number {
  return until - from;
}

/** How much of it came after this. */
function overlap(gap: Gap, from: number): number {
  return Math.max(0, gap.until - Math.max(gap.from, from));
}
