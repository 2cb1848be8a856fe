// What a connection has been given and has not told the end of.

import { passage } from "../../core/passage.ts";
import type { OpenTask } from "../../ports/records.ts";
import type { Conclusion } from "../concluding.ts";
import type { HeldAttempt } from "../letting-go.ts";

export interface InHand extends HeldAttempt {
  /** The number of its assignment; zero where it was in hand before this connection. */
  readonly seq: number;
  readonly sentAt: number;
  readonly open: OpenTask;
  /** The end that was told, and is being written. */
  ending?: Conclusion["type"] | null;
}

export interface Hands {
  hold(one: InHand): void;
  get(task: string, attempt?: number): InHand | undefined;
  letGo(attempt: HeldAttempt): void;
  /** Assigned later than `seen`, and sent by then. */
  unseen(seen: number, sentBy: number): readonly InHand[];
  all(): readonly HeldAttempt[];
  size(): number;
}

export function hands(): Hands {
  const held = passage<string, InHand>();

  function get(task: string, attempt?: number): InHand | undefined {
    const one = held.map().get(task);
    return attempt === undefined || one?.attempt === attempt ? one : undefined;
  }

  return {
    hold: (one) => held.set(one.task, one),
    get,
    letGo({ task, attempt }) {
      if (get(task, attempt) !== undefined) held.delete(task);
    },
    unseen: (seen, sentBy) => [...held.map().values()].filter(({ seq, sentAt }) => seq > seen && sentAt <= sentBy),
    all: () => [...held.map().values()],
    size: () => held.map().size,
  };
}
