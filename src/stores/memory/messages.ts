// Tasks that a message broker is to be told of, and those it was told of.

import { lastChange } from "../../core/ready-at.ts";
import type { TaskEvent } from "../../core/task-event.ts";
import type { Message } from "../../ports/records.ts";
import type { Find } from "../../ports/store-finds.ts";
import type { Reads } from "../../ports/store-reads.ts";
import { type Entry, type Memory, openTask } from "./memory.ts";
import { firstFew } from "./sorted-list.ts";

/** What is said of a task as it was before its last change would never be asked for. */
export function confirm(memory: Memory, messages: readonly Message[], at: number): void {
  for (const { task, version } of messages) {
    const entry = openTask(memory, task);
    if (entry === undefined || version < (entry.message?.version ?? 0)) continue;
    const { row } = entry;
    const isOnlyCounted = row.state === "pending" && version < row.version && version >= changeOf(entry).version;
    if (version === row.version || isOnlyCounted) entry.message = { version, at };
  }
}

/** Whether the broker has a message for an open task as it is. */
export function isTold(memory: Memory, task: string): boolean {
  const entry = openTask(memory, task);
  return entry !== undefined && confirmedAt(entry) !== null;
}

export function findUnpublished(memory: Memory, query: Find["unpublished"]["query"]): Message[] {
  const { activeBefore } = query;
  return readyTasks(memory, query, (entry) => changedAt(entry) < activeBefore && confirmedAt(entry) === null);
}

export function findUnheeded(memory: Memory, query: Find["unheeded"]["query"]): Message[] {
  const { confirmedBefore } = query;
  return readyTasks(memory, query, (entry) => (confirmedAt(entry) ?? confirmedBefore) < confirmedBefore);
}

export function countToldInFront(memory: Memory, query: Reads["toldInFront"]["query"]): number {
  const { lane, confirmedSince, among } = query;
  const counts = (entry: Entry) => (confirmedAt(entry) ?? confirmedSince) >= confirmedSince;
  const front = firstFew(memory.shelves.get(lane)?.ready ?? [], among, counts);
  return front.filter((entry) => confirmedAt(entry) !== null).length;
}

function readyTasks(
  memory: Memory,
  { lane, limit }: { readonly lane: number; readonly limit: number },
  wanted: (entry: Entry) => boolean,
): Message[] {
  const ready = memory.shelves.get(lane)?.ready ?? [];
  return firstFew(ready, limit, wanted).map(({ row }) => ({ task: row.id, version: row.version }));
}

/** Null where the broker has no message for it as it is. */
function confirmedAt(entry: Entry): number | null {
  const { message } = entry;
  return message !== null && message.version >= changeOf(entry).version ? message.at : null;
}

function changedAt(entry: Entry): number {
  return entry.row.children === null ? entry.row.activeAt : changeOf(entry).at;
}

function changeOf({ events }: Entry): TaskEvent {
  return lastChange(events) as TaskEvent;
}
