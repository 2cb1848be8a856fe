// graphile-worker as it comes, with a pool as large as its documentation asks for.

import type { MeasureInput } from "../../measure.ts";
import { graphileWork, produceGraphile } from "../graphile-worker.ts";
import type { Producer, Where, Work } from "../system.ts";

export function produce(input: MeasureInput): Promise<Producer> {
  return produceGraphile(input);
}

export function work(where: Where, work: Work): Promise<() => Promise<unknown>> {
  return graphileWork(where, work, {});
}
