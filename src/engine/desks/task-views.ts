// Tasks as they are shown: with the words of their lane, and their place in the line.

import { defaultQueue, type Labels, type Lane } from "../../core/lane.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Depths, QueuePosition } from "../depths.ts";

export interface TaskView {
  readonly record: TaskRecord;
  /** Full name of the job. */
  readonly job: string;
  readonly queue: string;
  /** What a worker must carry to get it. */
  readonly labels: Labels;
  /** Null unless the task is ready. */
  readonly position: QueuePosition | null;
  /** Why nobody can run it, where that was asked for. */
  readonly waiting: string | null;
}

export interface TaskViews {
  /** A promise only where something has to be looked up: a thousand that were submitted together need none. */
  view(record: TaskRecord): TaskView | Promise<TaskView>;
  views(records: readonly TaskRecord[]): readonly TaskView[] | Promise<readonly TaskView[]>;
}

export function taskViews({ catalog, depths }: { readonly catalog: Catalog; readonly depths: Depths }): TaskViews {
  function view(record: TaskRecord): TaskView | Promise<TaskView> {
    const lane = catalog.lane(record.card.lane);
    if (lane === undefined) return viewOfNew(record);
    const position = positionOf(record);
    return position instanceof Promise
      ? position.then((counted) => shown(record, lane, counted))
      : shown(record, lane, position);
  }

  /** Another server may have made the lane a moment ago. */
  async function viewOfNew(record: TaskRecord): Promise<TaskView> {
    await catalog.refresh();
    return shown(record, catalog.lane(record.card.lane), await positionOf(record));
  }

  function positionOf(record: TaskRecord) {
    return record.row.state === "pending" ? depths.position(record) : null;
  }

  return {
    view,
    views(records) {
      const found = records.map(view);
      return found.some((each) => each instanceof Promise) ? Promise.all(found) : (found as TaskView[]);
    },
  };
}

const noLabels: Labels = {};

function shown(record: TaskRecord, lane: Lane | undefined, position: QueuePosition | null): TaskView {
  const { job = "", queue = defaultQueue, labels = noLabels } = lane ?? {};
  return { record, job, queue, labels, position, waiting: null };
}
