// Messages of operations for a queue that is not among those of operations any more. Nobody sends them, and nobody counts
// them: whoever looks after the server has to know, or cancels their coordinators, and then they go.

import type { Surroundings } from "../surroundings.ts";
import { openItems } from "./open-items.ts";
import { queueOfKind } from "./operation-items.ts";

const kindsMax = 1_000;
/** Items hold their messages, which may be long. */
const slice = 50;
/** Behind so many that are needed the others wait: the outbox holds something in any case. */
const neededMax = 200;

export interface Unmapped {
  /** Says for each such queue how much is kept for it that is needed still. */
  look(): Promise<void>;
}

export function unmapped({ store, log, settings }: Pick<Surroundings, "store" | "log" | "settings">): Unmapped {
  /** Answers how many go: of the oldest, past those that are needed. */
  async function drop(kind: string): Promise<number> {
    let dropped = 0;
    for (let needed = 0; needed < neededMax; ) {
      const limit = needed + slice;
      const items = await store.find("outbox", { kind, limit });
      needed = (await openItems(store, items)).length;
      dropped += items.length - needed;
      if (items.length < limit) break;
    }
    return dropped;
  }

  return {
    async look() {
      const counts = new Map<string, number>();
      for (const { kind, count } of await store.find("outboxKinds", { limit: kindsMax })) {
        const queue = queueOfKind(kind);
        if (queue === null || settings.brokerQueues.get(queue) === "operation") continue;
        const left = count - (await drop(kind));
        if (left > 0) counts.set(queue, (counts.get(queue) ?? 0) + left);
      }
      for (const [queue, count] of counts) {
        log.warn("bundles of messages are kept for a queue that is not mapped to operations", { queue, count });
      }
    },
  };
}
