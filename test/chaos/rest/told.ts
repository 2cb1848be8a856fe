// What callers were told over HTTP, and whether the database agrees.

import type { EventType } from "../../../src/core/task-event.ts";
import type { Store } from "../../../src/ports/store.ts";
import type { HistoryRecord } from "../../../src/ports/store-reads.ts";
import { allHistories, type Entry, ledgerFaults } from "../../../src/testing/ledger.ts";

/** A move that was acknowledged. The answer shows the task as it is by then, so the move is known by what was asked. */
export interface Done {
  readonly what: "done";
  readonly id: string;
  /** How it may stand in the history. */
  readonly types: readonly EventType[];
  /** Null where the caller does not know. */
  readonly attempt: number | null;
  readonly worker: string | null;
  /** Of a completion; each result is used once. */
  readonly result?: string;
}

export type Told = Exclude<Entry, { what: "moved" }> | Done;

/** Every way in which the database contradicts what was said, each a sentence. */
export async function toldFaults(told: readonly Told[], store: Pick<Store, "read">): Promise<string[]> {
  const histories = await allHistories(store);
  const entries: Entry[] = [];
  const missing: string[] = [];
  for (const each of told) {
    const entry = each.what === "done" ? movedBy(each, histories.get(each.id)) : each;
    if (typeof entry === "string") missing.push(entry);
    else entries.push(entry);
  }
  return [...missing, ...(await ledgerFaults(entries, store))];
}

/** The same with the version that the history gives it, or why there is none. */
function movedBy(done: Done, record: HistoryRecord | undefined): Entry | string {
  const { id, types, attempt, worker, result } = done;
  const event = record?.events.find(
    (each) =>
      types.includes(each.type) &&
      (attempt === null || each.attempt === attempt) &&
      (worker === null || each.worker === worker),
  );
  if (event === undefined) {
    const lines = record?.events.map((each) => `${each.type} ${each.attempt} ${each.worker}`).join(", ");
    return `${types.join(" or ")} of task ${id}, attempt ${attempt} by ${worker}, is not in its history: ${lines}`;
  }
  const { version, state } = event;
  const told = { what: "moved", id, version, state, attempt: event.attempt, worker: null } as const;
  return result === undefined ? told : { ...told, result };
}

export function count(told: readonly Told[], what: Told["what"]): number {
  return told.reduce((sum, entry) => sum + (entry.what === what ? 1 : 0), 0);
}
