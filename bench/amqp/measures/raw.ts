// The yardstick: the client library and the broker, and nothing of ours. All messages are published, then all are consumed.

import { operationMessage } from "../../../src/core/messages.ts";
import { watchDrain } from "../../compare/measures/drain.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { emptyBroker, publish } from "../broker.ts";
import { costOf, timedCost } from "../cost.ts";
import { startCrew } from "../crew.ts";
import type { RawWords } from "../words.ts";

/** No server looks at it. */
const parent = "01993d6c-7a10-7000-8000-3f5b6c1d2e3f";
const queue = "protea.embeddings.write";

export async function measure(input: MeasureInput): Promise<Measured> {
  const broker = await emptyBroker(input);
  const [messages, warmUp] = [parameter(input, "messages"), parameter(input, "warmUp")];
  const words = { amqpUrl: broker.url, queue, prefetch: parameter(input, "prefetch") } satisfies RawWords;
  const all = messages + warmUp;
  const bodyOf = (index: number): string =>
    operationMessage({ operation: "store", parent, index, payload: `{"n":${index}}` });
  await publish(broker, queue, warmUp, bodyOf);
  const publishing = await timedCost(input, "publish", { server: null, crew: [], broker }, () =>
    publish(broker, queue, messages, bodyOf),
  );
  const crew = await startCrew("amqp/actors/raw", [words], input.profiles);
  let [ms, counted] = [0, 0];
  const consuming = await timedCost(input, "consume", { server: null, crew, broker }, async () => {
    ({ ms, counted } = await watchDrain(crew, warmUp, all));
  });
  await Promise.all(crew.map((actor) => actor.stop()));
  return {
    figures: {
      published: (1_000 * messages) / publishing.ms,
      "published-clientUs": (1_000 * publishing.cpuMs) / messages,
      "published-brokerUs": (1_000 * publishing.brokerCpuMs) / messages,
      consumed: (1_000 * counted) / ms,
      ...costOf("consumed", consuming, all),
    },
  };
}
