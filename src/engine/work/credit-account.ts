// What a connected worker wants, and what it has been sent and seen of it.

import { assumedSeenMs, seenAfter } from "../../core/credit.ts";

/** Thousands of workers have one, so it is small. */
export interface CreditAccount {
  ready: number;
  sent: number;
  seen: number;
  /** Whether it is a worker that says what it has seen. */
  saysSeen: boolean;
  /** When what was sent, while the worker has not said what it has seen. */
  sendings: { readonly seq: number; readonly at: number }[];
}

/** Nothing is ever put into it. */
const none: CreditAccount["sendings"] = [];

export function creditAccount(): CreditAccount {
  return { ready: 0, sent: 0, seen: 0, saysSeen: false, sendings: none };
}

/** The number of the next assignment. */
export function nextSeq(account: CreditAccount): number {
  account.sent += 1;
  return account.sent;
}

/** All numbered so far are sent. */
export function noteSent(account: CreditAccount, now: number): void {
  if (account.saysSeen) return;
  if (account.sendings === none) account.sendings = [];
  account.sendings.push({ seq: account.sent, at: now });
}

/** It has seen this one, and all that came before it. */
export function noteSeen(account: CreditAccount, seq: number): void {
  account.seen = seenAfter(account, seq);
}

/** How many more it wants; what it has seen, or null where it does not say. */
export function noteSpoken(account: CreditAccount, ready: number, acked: number | null, now: number): void {
  account.ready = ready;
  if (acked !== null) {
    account.saysSeen = true;
    account.sendings = none;
    noteSeen(account, acked);
  } else if (account.sendings.length > 0) assume(account, now);
}

function assume(account: CreditAccount, now: number): void {
  for (const { seq, at } of account.sendings) if (now - at >= assumedSeenMs) noteSeen(account, seq);
  account.sendings = account.sendings.filter(({ seq }) => seq > account.seen);
}

/** Whether it wants what it wanted, and has seen everything, as it has said before. */
export function isUnchanged(
  account: CreditAccount,
  said: { readonly ready: number; readonly acked: number | null },
): boolean {
  const { saysSeen, ready, sent, seen } = account;
  return saysSeen && said.ready === ready && said.acked === seen && seen === sent;
}

/** Something is on its way, to a worker that says what it has seen. */
export function isUnsure({ saysSeen, sent, seen }: CreditAccount): boolean {
  return saysSeen && sent > seen;
}
