// What became of the message by which consumers behind a broker hear of a task.

import type { MessageFacts } from "../../core/explain-broker.ts";
import { isGivenUp } from "../../core/liveness.ts";
import { triesAfter, untried } from "../../core/message-tries.ts";
import type { JobRecord, Lane, TaskRecord, WorkerRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { BrokerLooks } from "../publishing/broker-looks.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WorkerFact } from "./explain-workers.ts";

/** Null where it needs none: no broker is told of it, or somebody could take it without. */
export type ExplainMessage = (
  task: TaskRecord,
  lane: Pick<Lane, "queue">,
  job: JobRecord,
  workers: readonly WorkerFact[],
) => Promise<MessageFacts | null>;

export interface ExplainMessagesParts {
  readonly brokerLooks: BrokerLooks;
  readonly catalog: Pick<Catalog, "workers">;
}

const eventsMax = 500;

export function explainMessages(
  { store, settings }: Pick<Surroundings, "store" | "settings">,
  { brokerLooks: looks, catalog }: ExplainMessagesParts,
): ExplainMessage {
  const { unconsumedMax, republishMax } = settings;

  /** Of any job: whoever consumes a queue gets all of its messages. */
  function registeredFor(queue: string): number {
    const consumes = ({ profile, queues, session }: WorkerRecord): boolean =>
      profile === "amqp" && queues?.includes(queue) === true && !isGivenUp(session);
    return [...catalog.workers()].filter(consumes).length;
  }

  /** These are its last events, if there are any. */
  async function republishes(task: string, version: number): Promise<number> {
    const offset = Math.max(0, version - eventsMax);
    const { items } = await store.read("events", { task, limit: eventsMax, offset });
    return items.reduce(triesAfter, untried).count;
  }

  return async ({ card, row }, { queue }, job, workers) => {
    if (row.runAt !== null || job.spec.push !== null || workers.some(isFree)) return null;
    const found = await looks(queue);
    if (found === null) return null;
    const told = await store.read("message", { task: card.id });
    return {
      ...{ told, awaySince: found.awaySince, waitingMax: unconsumedMax, republishMax },
      ...{ waiting: found.look?.waiting ?? null, consumers: found.look?.consumers ?? null },
      registered: registeredFor(queue),
      republished: told ? await republishes(card.id, row.version) : 0,
    };
  };
}

/** It could take the task although it hears of none by messages. */
function isFree({ profile, hindrance }: WorkerFact): boolean {
  return profile !== "amqp" && hindrance === null;
}
