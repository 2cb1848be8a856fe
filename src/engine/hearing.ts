// Since when this server has been able to hear its workers. After it was down, or when its own tick came late (a pause,
// a checkpoint, the database away), silence proves nothing: it grants one full window before it gives anyone up, or as
// long as it takes to be unreachable where there is such a state. Late is what comes late by more than a fifth of a window,
// so a server that is late for a moment again and again judges by the longer ones all the same.

import { lateTickMs, listenMs, momentMs, type Profiles, type Session } from "../core/liveness.ts";

export interface Hearing {
  /** This server is awake and the database answers. */
  tick(now: number): void;
  /** Nothing that should have been heard before this may be held against anyone who has a window of this length. */
  since(now: number, windowMs: number): number;
  /** What was said before this may never have been heard. After no more than a moment it comes, if late. */
  awayUntil(now: number): number;
  /** By then what came while this server did not listen has been read, and nobody is judged before. */
  drainedAt(now: number): number;
  /** The session as it may fairly be judged. */
  fair(session: Session, now: number): Session;
}

export interface HearingParts {
  readonly startedAt: number;
  readonly pulseMs: number;
  readonly profiles: Profiles;
}

/** For what waits in its sockets when it is awake again. */
const drainMs = 1_000;

export function hearing({ startedAt, pulseMs, profiles }: HearingParts): Hearing {
  const lateMs = pulseMs + lateTickMs(profiles);
  /** When it could hear again, and for how long it could not: each for less long than the one before. */
  let gaps: readonly { readonly at: number; readonly ms: number }[] = [];
  let returnedAt = startedAt;
  let tickedAt = startedAt;

  function look(now: number): void {
    const ms = now - tickedAt;
    if (ms > lateMs) gaps = [...gaps.filter((gap) => gap.ms > ms), { at: now, ms }];
    if (ms > momentMs) returnedAt = now;
  }

  function since(now: number, windowMs: number): number {
    look(now);
    const longMs = Math.max(lateMs, pulseMs + windowMs / 5);
    return gaps.findLast(({ ms }) => ms > longMs)?.at ?? startedAt;
  }

  return {
    tick(now) {
      look(now);
      tickedAt = now;
    },
    since,
    awayUntil(now) {
      look(now);
      return returnedAt;
    },
    drainedAt(now) {
      look(now);
      return (gaps.at(-1)?.at ?? Number.NEGATIVE_INFINITY) + drainMs;
    },
    fair(session, now) {
      const from = since(now, session.lostMs) - (session.lostMs - listenMs(session));
      return session.seenAt >= from ? session : { ...session, seenAt: from };
    },
  };
}
