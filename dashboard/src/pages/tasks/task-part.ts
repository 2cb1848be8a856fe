// A page of a list of tasks, as it is kept.

import type { TaskChange } from "../../live/task-change.ts";
import type { TaskItem, TaskPage } from "./task-item.ts";

export interface Part {
  readonly cursor: string | null;
  /** Null: let go. */
  items: readonly TaskItem[] | null;
  count: number;
  /** The last row's id: how far down it reaches. */
  through: string | null;
  next: string | null;
  scannedThrough: string | null;
  /** Things may have happened to its rows that we were not told of. */
  old: boolean;
}

/** To be asked for again before it is looked at. */
export function isUnread(part: Part | undefined): boolean {
  return part !== undefined && (part.items === null || part.old);
}

/** Whether it leaves out nothing above that row. */
export function reaches({ items, next_cursor }: TaskPage, through: string | null): boolean {
  return next_cursor === null || through === null || items.some(({ id }) => id <= through);
}

export function changed(item: TaskItem, change: TaskChange | undefined): TaskItem {
  if (change === undefined) return item;
  const { started_at, completed_at, queue_position, worker_id, error } = change;
  const status = change.status as TaskItem["status"];
  return { ...item, status, started_at, completed_at, queue_position, worker_id, error };
}
