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
  /** The session as it may fairly be judged to be lost. */
  fair(session: Session, now: number): Session;
  /** And to be unreachable. */
  fairlyReached(session: Session, now: number): Session;
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
/** More than half an hour of a server that is late with every tick: longer than anybody is waited for. */
const gapsKept = 1_000;
/** Whoever beats twice in a window may have lost a beat to each of so many times; no worker beats more rarely than that. */
const beatsMissed = 2;
const rarestBeatMs = 30_000;
/** A server that is away for a window again and again grants it no more often. */
const windowsMax = 2;

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

  function unheard(from: number, now: number): { readonly ms: number; readonly times: number } {
    const gap = gapOf(now);
    let ms = gap === null ? 0 : overlap(gap, from);
    let times = ms > 0 ? 1 : 0;
    for (let nth = gaps.length - 1; nth >= 0; nth -= 1) {
      const each = overlap(gaps[nth] as Gap, from);
      if (each === 0) break;
      ms += each;
      times += 1;
    }
    return { ms, times };
  }

  function unheardMs(from: number, now: number): number {
    const { ms, times } = unheard(from, now);
    return times === 0 ? 0 : ms + againMs;
  }

  /** So much later, as far as what it said was heard since then. */
  function patienceMs(from: number, now: number, lostMs: number): number {
    const { ms, times } = unheard(from, now);
    const beatMs = Math.min(lostMs / 2, rarestBeatMs);
    return times === 0 ? 0 : ms + againMs + Math.min(times - 1, beatsMissed) * beatMs;
  }

  function spokenAt(session: Session, spokeAt: number, heardSince: number, now: number): Session {
    const { seenAt, lostMs } = session;
    const fairly = Math.min(now, spokeAt + patienceMs(Math.max(seenAt, heardSince), now, lostMs));
    return seenAt >= fairly ? session : { ...session, seenAt: fairly };
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
      const from = Math.max(seenAt, startedAt);
      const listenedMs = now - from - patienceMs(from, now, lostMs);
      const heardSince = listenedMs >= windowsMax * lostMs ? startedAt : since(now, lostMs);
      return spokenAt(session, Math.max(seenAt, heardSince - (lostMs - listenMs(session))), heardSince, now);
    },
    fairlyReached(session, now) {
      const heardSince = since(now, session.lostMs);
      return spokenAt(session, Math.max(session.seenAt, heardSince), heardSince, now);
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
