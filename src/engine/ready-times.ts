// Since when tasks could be claimed. Nearly all since they were made, which their cards say; of the others this server
// remembers what it did itself. Where another server did it, how long a later attempt waited is not known, and not counted.

import type { TaskEvent } from "../core/task-event.ts";
import type { TaskRow } from "../core/task-row.ts";
import type { TaskCard } from "../ports/records.ts";

export interface ReadyTimes {
  submitted(card: TaskCard, runAt: number | null): void;
  /** It waits again, after these moves or as before. */
  back(row: TaskRow, events: readonly TaskEvent[]): void;
  /** Answers since when it was ready for this attempt; null where that is not known. */
  taken(card: TaskCard, attempt: number): number | null;
  forget(id: string): void;
}

/** Those that have waited longest are forgotten first. */
const tasksMax = 100_000;

export function readyTimes(): ReadyTimes {
  const times = new Map<string, number>();

  function remember(id: string, at: number): void {
    times.set(id, at);
    if (times.size <= tasksMax) return;
    for (const oldest of times.keys()) {
      times.delete(oldest);
      return;
    }
  }

  return {
    submitted({ id, createdAt }, runAt) {
      if (runAt !== null && runAt > createdAt) remember(id, runAt);
    },
    back({ id, runAt, activeAt }, events) {
      if (events.some(isReturn)) remember(id, runAt ?? activeAt);
    },
    taken({ id, createdAt }, attempt) {
      const known = times.size === 0 ? undefined : times.get(id);
      if (known !== undefined) times.delete(id);
      return known ?? (attempt === 1 ? createdAt : null);
    },
    forget(id) {
      if (times.size > 0) times.delete(id);
    },
  };
}

function isReturn({ type }: TaskEvent): boolean {
  return type === "task.retried" || type === "task.released" || type === "task.lost";
}
