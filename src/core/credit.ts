// How many tasks a connected worker may be given. It says how many more it wants; what it has not seen yet, because the
// two messages crossed, counts against that. So a worker that wants one task never gets two.

/** Assignments are numbered from 1 on each connection, without a gap. */
export interface CreditAccount {
  /** How many more the worker wanted when it last spoke. */
  readonly ready: number;
  /** The last assignment sent to it. */
  readonly sent: number;
  /** The last it is known to have seen. */
  readonly seen: number;
}

export function creditOf({ ready, sent, seen }: CreditAccount): number {
  return Math.max(0, ready - (sent - seen));
}

/** A worker cannot have seen what was not sent, and does not unsee. */
export function seenAfter({ sent, seen }: Pick<CreditAccount, "sent" | "seen">, acked: number): number {
  return Math.max(seen, Math.min(acked, sent));
}

/** An assignment that a beating worker has not seen for so long did not arrive, unless a setting says how long. */
export const unseenMs = 2_000;

/** A worker that never says what it has seen is taken to have seen what was sent before that. */
export const assumedSeenMs = 1_000;

/** A worker that beats but has not heard anything for so long is deaf. */
export const deafMs = 3_000;
