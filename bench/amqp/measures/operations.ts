// Messages are there; consumers of operations take them, count each on its parent, and acknowledge it. The first ones warm
// everything up and do not count.

import { operationMessage } from "../../../src/core/messages.ts";
import { watchDrain } from "../../compare/measures/drain.ts";
import { type Measured, type MeasureInput, parameter } from "../../measure.ts";
import { benchServer } from "../../rest/bench-server.ts";
import { emptyBroker, publish } from "../broker.ts";
import { deferred, exact } from "../coordinator.ts";
import { costOf, timedCost } from "../cost.ts";
import { startCrew } from "../crew.ts";
import type { ConsumerWords } from "../words.ts";

const queue = "protea.embeddings.write";

export async function measure(input: MeasureInput): Promise<Measured> {
  const broker = await emptyBroker(input);
  const server = await benchServer(input);
  const [messages, warmUp, processes] = [
    parameter(input, "messages"),
    parameter(input, "warmUp"),
    parameter(input, "processes"),
  ];
  const all = messages + warmUp;
  const parent = await deferred(server, all);
  await publish(broker, queue, all, (index) =>
    operationMessage({ operation: "store", parent, index, payload: `{"n":${index}}` }),
  );
  const words: ConsumerWords = {
    ...{ url: `http://127.0.0.1:${server.port}`, token: server.token, amqpUrl: broker.url, queue, kind: "operation" },
    consumers: parameter(input, "consumers") / processes,
    concurrency: parameter(input, "concurrency"),
    prefetch: parameter(input, "prefetch"),
  };
  const crew = await startCrew("amqp/actors/consumer", Array(processes).fill(words), input.profiles);
  let [ms, counted] = [0, 0];
  const costly = await timedCost(input, "operations", { server, crew, broker }, async () => {
    ({ ms, counted } = await watchDrain(crew, warmUp, all));
  });
  await exact(server, parent, all);
  await Promise.all(crew.map((actor) => actor.stop()));
  await server.stop();
  return { figures: { consumed: (1_000 * counted) / ms, ...costOf("consumed", costly, all) } };
}
