// As leadhand.ts, with a client that does as little as the protocol allows: what the server can do, whatever the SDK
// costs.

import type { MeasureInput } from "../../measure.ts";
import { produceLeadhand } from "../leadhand-server.ts";
import { rawWorker } from "../raw-worker.ts";
import type { Producer, Where, Work } from "../system.ts";

export function produce(input: MeasureInput): Promise<Producer> {
  return produceLeadhand(input);
}

export async function work({ url, token }: Where, work: Work): Promise<() => Promise<unknown>> {
  const worker = rawWorker({ url: String(url), token: String(token), ...work });
  await worker.ready;
  return async () => worker.close();
}
