// Why a task waits although its turn has come: nobody can run it, or the schema of today refuses its payload.

import type { TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import { payloadRefused } from "../fitness.ts";
import { runnables } from "../runnable.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskView } from "./task-views.ts";

export function waitingTasks({ store }: Pick<Surroundings, "store">, catalog: Catalog) {
  const known = runnables(catalog);

  async function wasRefused({ card, row }: TaskRecord): Promise<boolean> {
    if (row.attempt === 0) return false;
    const { items } = await store.read("events", { task: card.id, limit: 1, offset: row.version - 1 });
    const [last] = items;
    if (last?.type !== "task.released" || last.data === null) return false;
    return (JSON.parse(last.data) as { readonly reason?: string }).reason === payloadRefused;
  }

  /** The same view, with the reason where there is one. */
  return async function explained(view: TaskView): Promise<TaskView> {
    const { record } = view;
    if (record.row.state !== "pending") return view;
    if (await wasRefused(record)) {
      return { ...view, waiting: "the schema that is registered now refuses its payload; it is looked at again later" };
    }
    const lane = catalog.lane(record.card.lane);
    return lane === undefined ? view : { ...view, waiting: known.whyNotLane(lane) };
  };
}
