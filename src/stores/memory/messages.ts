// Tasks that a message broker is to be told of, and those it was told of.

import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import { type Entry, type Memory, openTask } from "./memory.ts";
import { firstFew } from "./sorted-list.ts";

/** What is said of a version that has passed would never be asked for. */
export function confirm(memory: Memory, messages: readonly Message[], at: number): void {
  for (const { task, version } of messages) {
    const entry = openTask(memory, task);
    if (entry?.row.version === version) entry.message = { version, at };
  }
}

export function findUnpublished(memory: Memory, query: Find["unpublished"]["query"]): Message[] {
  const { activeBefore } = query;
  return readyTasks(memory, query, (entry) => entry.row.activeAt < activeBefore && confirmedAt(entry) === null);
}

export function findUnheeded(memory: Memory, query: Find["unheeded"]["query"]): Message[] {
  const { confirmedBefore } = query;
  return readyTasks(memory, query, (entry) => (confirmedAt(entry) ?? confirmedBefore) < confirmedBefore);
}

function readyTasks(
  memory: Memory,
  { lane, limit }: { readonly lane: number; readonly limit: number },
  wanted: (entry: Entry) => boolean,
): Message[] {
  const ready = memory.shelves.get(lane)?.ready ?? [];
  return firstFew(ready, limit, wanted).map(({ row }) => ({ task: row.id, version: row.version }));
}

/** Null where the broker has no message for its version. */
function confirmedAt({ row, message }: Entry): number | null {
  return message?.version === row.version ? message.at : null;
}
