// As leadhand.ts, over what the SDK falls back to where a WebSocket does not come through.

import type { MeasureInput } from "../../measure.ts";
import { produceLeadhand, sdkWork } from "../leadhand-server.ts";
import type { Producer, Where, Work } from "../system.ts";

export function produce(input: MeasureInput): Promise<Producer> {
  return produceLeadhand(input);
}

export function work(where: Where, work: Work): Promise<() => Promise<unknown>> {
  return sdkWork(where, work, "rest");
}
