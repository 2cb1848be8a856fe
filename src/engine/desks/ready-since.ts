import { readyAt } from "../../core/ready-at.ts";
import type { Surroundings } from "../surroundings.ts";

/** Null where it is not ready any more. */
export type ReadySince = (task: string) => Promise<number | null>;

/** Of a longer history the end is looked at. */
const eventsMax = 50;

export function readySince({ store, clock }: Pick<Surroundings, "store" | "clock">): ReadySince {
  return async (task) => {
    const first = await store.read("events", { task, limit: eventsMax, offset: 0 });
    const isWhole = first.total <= eventsMax;
    const offset = first.total - eventsMax;
    const { items } = isWhole ? first : await store.read("events", { task, limit: eventsMax, offset });
    const at = readyAt(items);
    return at !== null && at <= clock.now() ? at : null;
  };
}
