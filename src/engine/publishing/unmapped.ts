// Messages of operations for a queue that is not among those of operations any more. Nobody sends them, and nobody counts
// them: whoever looks after the server has to know.

import type { Surroundings } from "../surroundings.ts";
import { queueOfKind } from "./operation-items.ts";

const kindsMax = 1_000;

export interface Unmapped {
  /** Says for each such queue how much is kept for it. */
  look(): Promise<void>;
}

export function unmapped({ store, log, settings }: Pick<Surroundings, "store" | "log" | "settings">): Unmapped {
  return {
    async look() {
      const counts = new Map<string, number>();
      for (const { kind, count } of await store.find("outboxKinds", { limit: kindsMax })) {
        const queue = queueOfKind(kind);
        if (queue === null || settings.brokerQueues.get(queue) === "operation") continue;
        counts.set(queue, (counts.get(queue) ?? 0) + count);
      }
      for (const [queue, count] of counts) {
        log.warn("bundles of messages are kept for a queue that is not mapped to operations", { queue, count });
      }
    },
  };
}
