// Why a task waits although its turn has come: nobody can run it, or the schema of today refuses its payload.

import type { Catalog } from "../catalog.ts";
import { runnables } from "../runnable.ts";
import type { Surroundings } from "../surroundings.ts";
import { lastAttempts } from "./last-attempt.ts";
import type { TaskView } from "./task-views.ts";

export function waitingTasks(around: Pick<Surroundings, "store">, catalog: Catalog) {
  const known = runnables(catalog);

  const lastAttempt = lastAttempts(around);

  /** The same view, with the reason where there is one. */
  return async function explained(view: TaskView): Promise<TaskView> {
    const { record } = view;
    if (record.row.state !== "pending") return view;
    if ((await lastAttempt(record)).refused) {
      return { ...view, waiting: "the schema that is registered now refuses its payload; it is looked at again later" };
    }
    const lane = catalog.lane(record.card.lane);
    return lane === undefined ? view : { ...view, waiting: known.whyNotLane(lane) };
  };
}
