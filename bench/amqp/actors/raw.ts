// The client library alone: takes messages and acknowledges them.

import { Connection } from "rabbitmq-client";
import { told, untilLetGo } from "../../live/stage-door.ts";
import type { RawWords } from "../words.ts";
import { tally, untilTold } from "./tally.ts";

const { amqpUrl, queue, prefetch: prefetchCount } = told<RawWords>();
await untilTold();
const { done, tell } = tally();
const connection = new Connection({ url: amqpUrl, noDelay: true });
const consumer = connection.createConsumer(
  { queue, queueOptions: { passive: true }, qos: { prefetchCount } },
  async () => done(),
);
untilLetGo(async () => {
  await consumer.close();
  await connection.close();
});
tell();
