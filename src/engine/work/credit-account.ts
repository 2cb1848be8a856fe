// What a connected worker wants, and what it has been sent and seen of it.

import { assumedSeenMs, creditOf, seenAfter } from "../../core/credit.ts";

export interface CreditAccount {
  /** The number of the next assignment. */
  next(): number;
  /** All numbered so far are sent. */
  sent(now: number): void;
  /** How many more it wants; what it has seen, or null where it does not say. */
  spoken(ready: number, acked: number | null, now: number): void;
  /** It has seen this one, and all that came before it. */
  saw(seq: number): void;
  credit(): number;
  seen(): number;
  /** Something is on its way, to a worker that says what it has seen. */
  isUnsure(): boolean;
}

export function creditAccount(): CreditAccount {
  const account = { ready: 0, sent: 0, seen: 0 };
  let saysSeen = false;
  /** When what was sent, while the worker has not said what it has seen. */
  let sendings: { readonly seq: number; readonly at: number }[] = [];

  function saw(seq: number): void {
    account.seen = seenAfter(account, seq);
  }

  function assume(now: number): void {
    for (const { seq, at } of sendings) if (now - at >= assumedSeenMs) saw(seq);
    sendings = sendings.filter(({ seq }) => seq > account.seen);
  }

  return {
    next() {
      account.sent += 1;
      return account.sent;
    },
    sent(now) {
      if (!saysSeen) sendings.push({ seq: account.sent, at: now });
    },
    spoken(ready, acked, now) {
      account.ready = ready;
      if (acked !== null) {
        [saysSeen, sendings] = [true, []];
        saw(acked);
      } else if (!saysSeen) assume(now);
    },
    saw,
    credit: () => creditOf(account),
    seen: () => account.seen,
    isUnsure: () => saysSeen && account.sent > account.seen,
  };
}
