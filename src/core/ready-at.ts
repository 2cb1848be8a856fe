// Since when a task that waits could be claimed, as its history tells it: since it was submitted or came back, or since the
// delay was over that it was given then.

import type { EventType, TaskEvent } from "./task-event.ts";

/** After these it waits; what else may happen to a task that waits does not make it wait anew. */
const waits: readonly EventType[] = ["task.submitted", "task.retried", "task.released", "task.lost"];

/** Of the last events of a task, the oldest first. Null where it does not wait, or nothing is known of when it began to. */
export function readyAt(events: readonly Pick<TaskEvent, "type" | "state" | "at" | "data">[]): number | null {
  if (events.at(-1)?.state !== "pending") return null;
  const last = events.findLast(({ type }) => waits.includes(type));
  if (last === undefined) return null;
  const { runAt } = JSON.parse(last.data ?? "{}") as { readonly runAt?: number | null };
  return Math.max(last.at, runAt ?? 0);
}

/**
 * The last of its moves by which a task is another to whoever may take it: who was told of it then, or later, need not be told
 * anew. Children that end, while their parent waits for its next attempt, are counted on it and leave it as it was.
 */
export function lastChange<E extends Pick<TaskEvent, "type">>(events: readonly E[]): E | undefined {
  return events.findLast(({ type }) => type !== "task.counted");
}
