// One message's way through the broker with nothing of ours: published, confirmed, consumed, acknowledged.

import { watchDrain } from "../compare/measures/drain.ts";
import type { Broker } from "../measure.ts";
import { publish } from "./broker.ts";
import { startCrew } from "./crew.ts";

const queue = "protea.embeddings.write";
const prefetch = 1_000;
const messages = 20_000;
const warmUp = 4_000;

/** In microseconds, when many go one after the other. */
export async function rawUsEach(broker: Broker): Promise<number> {
  const body = `{"operation":"store","payload":{}}`;
  await publish(broker, queue, warmUp, () => body);
  const startedAt = performance.now();
  await publish(broker, queue, messages, () => body);
  const publishedMs = performance.now() - startedAt;
  const crew = await startCrew("amqp/actors/raw", [{ amqpUrl: broker.url, queue, prefetch }], null);
  const { ms, counted } = await watchDrain(crew, warmUp, messages + warmUp);
  await Promise.all(crew.map((actor) => actor.stop()));
  return (1_000 * publishedMs) / messages + (1_000 * ms) / counted;
}
