// Tasks as they are shown: with the words of their lane, and their place in the line.

import { defaultQueue } from "../../core/lane.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Depths, QueuePosition } from "../depths.ts";

export interface TaskView {
  readonly record: TaskRecord;
  /** Full name of the job. */
  readonly job: string;
  readonly queue: string;
  /** Null unless the task is ready. */
  readonly position: QueuePosition | null;
  /** Why nobody can run it, where that was asked for. */
  readonly waiting: string | null;
}

export interface TaskViews {
  view(record: TaskRecord): Promise<TaskView>;
  views(records: readonly TaskRecord[]): Promise<readonly TaskView[]>;
}

export function taskViews({ catalog, depths }: { readonly catalog: Catalog; readonly depths: Depths }): TaskViews {
  async function view(record: TaskRecord): Promise<TaskView> {
    const lane = catalog.lane(record.card.lane) ?? (await laneOf(record.card.lane));
    const position = record.row.state === "pending" ? await depths.position(record) : null;
    return { record, job: lane?.job ?? "", queue: lane?.queue ?? defaultQueue, position, waiting: null };
  }

  /** Another server may have made it a moment ago. */
  async function laneOf(id: number) {
    await catalog.refresh();
    return catalog.lane(id);
  }

  return { view, views: (records) => Promise.all(records.map(view)) };
}
