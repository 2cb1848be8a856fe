// graphile-worker with the settings of its own page on performance: a local queue of 500 jobs that are locked ahead, and
// completions that are written together after the handlers have gone on.

import type { MeasureInput } from "../../measure.ts";
import { graphileWork, produceGraphile } from "../graphile-worker.ts";
import { localQueueSize } from "../rows.ts";
import type { Producer, Where, Work } from "../system.ts";

const batched = { localQueue: { size: localQueueSize }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };

export function produce(input: MeasureInput): Promise<Producer> {
  return produceGraphile(input);
}

export function work(where: Where, work: Work): Promise<() => Promise<unknown>> {
  return graphileWork(where, work, batched);
}
