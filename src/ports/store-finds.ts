// Looks for what has to be done: candidates, found without locks.

import type { ProfileName } from "../core/liveness.ts";
import type { CommandRecord, Message, OutboxItem } from "./records.ts";

export interface Find {
  /** Tasks whose deadline has passed, earliest first. */
  readonly due: {
    readonly query: { readonly now: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers whose session is over (isLost) and for whom `heardMs` of listening is enough (listenMs), by id. */
  readonly lost: {
    readonly query: { readonly now: number; readonly heardMs: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /**
   * Workers whose history does not say what their state is (untold), by id; those that fell silent only where the time
   * after which they are unreachable is no longer than `heardMs`.
   */
  readonly untold: {
    readonly query: { readonly now: number; readonly heardMs: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers fenced before then and not removed, longest first. */
  readonly offline: {
    readonly query: { readonly profile: ProfileName; readonly lostBefore: number; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Workers that were removed and are still kept, the latest first. */
  readonly removed: { readonly query: { readonly limit: number }; readonly answer: readonly string[] };
  /** Tasks in the hands of workers that are fenced, removed or unknown, by id. */
  readonly forsaken: {
    readonly query: { readonly limit: number };
    readonly answer: readonly { readonly task: string; readonly worker: string }[];
  };
  readonly held: {
    readonly query: { readonly workers: readonly string[]; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Open children, oldest first. */
  readonly children: {
    readonly query: { readonly parents: readonly string[]; readonly limit: number };
    readonly answer: readonly string[];
  };
  /** Active worker-registered jobs that no worker serves and no pending task waits for, by name. */
  readonly orphans: { readonly query: { readonly limit: number }; readonly answer: readonly string[] };
  /** Commands of these workers that they have not acknowledged and that have not expired, oldest first. */
  readonly commands: {
    readonly query: { readonly workers: readonly string[]; readonly now: number; readonly limit: number };
    readonly answer: readonly CommandRecord[];
  };
  /** The longest due first; all of the kind where it is not said by when. */
  readonly outbox: {
    readonly query: { readonly kind: string; readonly dueBy?: number; readonly limit: number };
    readonly answer: readonly OutboxItem[];
  };
  /** How many items of each kind the outbox holds, due or not, by kind. Counts them all: not for every day. */
  readonly outboxKinds: {
    readonly query: { readonly limit: number };
    readonly answer: readonly { readonly kind: string; readonly count: number }[];
  };
  /**
   * Ready tasks of one lane of which no message was confirmed since their last change (lastChange of core/ready-at.ts), which
   * was before then, in line order.
   */
  readonly unpublished: {
    readonly query: { readonly lane: number; readonly activeBefore: number; readonly limit: number };
    readonly answer: readonly Message[];
  };
  /**
   * Ready tasks of one lane whose messages were confirmed since their last change, and before then: what a broker that has no message left may have
   * lost, in line order.
   */
  readonly unheeded: {
    readonly query: { readonly lane: number; readonly confirmedBefore: number; readonly limit: number };
    readonly answer: readonly Message[];
  };
}
