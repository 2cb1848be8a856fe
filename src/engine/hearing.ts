// Since when this server has been able to hear its workers. After it was down, or when its own tick came late (a pause,
// a checkpoint, the database away), silence proves nothing: it grants one full window before it gives anyone up, or as
// long as it takes to be unreachable where there is such a state.

import { listenMs, momentMs, type Session } from "../core/liveness.ts";

export interface Hearing {
  /** This server is awake and the database answers. */
  tick(now: number): void;
  /** Nothing that should have been heard before this may be held against anyone. */
  since(now: number): number;
  /** What was said before this may never have been heard. After no more than a moment it comes, if late. */
  awayUntil(now: number): number;
  /** The session as it may fairly be judged. */
  fair(session: Session, now: number): Session;
}

/** `lateMs` after the last tick this server was not listening. */
export function hearing(startedAt: number, lateMs: number): Hearing {
  let resumedAt = startedAt;
  let returnedAt = startedAt;
  let tickedAt = startedAt;

  function look(now: number): void {
    if (now - tickedAt > lateMs) resumedAt = now;
    if (now - tickedAt > momentMs) returnedAt = now;
  }

  function since(now: number): number {
    look(now);
    return resumedAt;
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
    fair(session, now) {
      const from = since(now) - (session.lostMs - listenMs(session));
      return session.seenAt >= from ? session : { ...session, seenAt: from };
    },
  };
}
