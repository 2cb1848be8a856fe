// Where the messages of a coordinator may be: in the queue that they were sent to, and in those to which consumers have handed
// some on. Those say so in its log, once for each queue, before the first is there; where it keeps no such lines, or very many
// others, they may be anywhere. Without that a backlog in any queue would hide what is missing in every other.

import { isWanted } from "../../core/log-level.ts";
import { handedOnEvent } from "../../core/messages.ts";
import type { Surroundings } from "../surroundings.ts";

/** The queues of operations that messages of a task may be in which were sent to this queue. */
export type Reach = (task: string, queue: string) => Promise<readonly string[]>;

const slice = 500;
const linesMax = 10_000;

export function reach({ store, settings }: Pick<Surroundings, "store" | "settings">): Reach {
  const all = [...settings.brokerQueues].flatMap(([queue, kind]) => (kind === "operation" ? [queue] : []));

  return async (task, queue) => {
    const [record] = await store.read("tasks", { ids: [task] });
    if (!isWanted("info", record?.card.logs ?? null)) return all;
    const found = new Set([queue]);
    for (let offset = 0; offset < linesMax; offset += slice) {
      const { items } = await store.read("logs", { task, limit: slice, offset });
      for (const { event, fields } of items) if (event === handedOnEvent) found.add(queueIn(fields));
      if (items.length < slice) return all.filter((each) => found.has(each));
    }
    return all;
  };
}

function queueIn(fields = "{}"): string {
  const { queue } = JSON.parse(fields) as { readonly queue?: unknown };
  return String(queue);
}
