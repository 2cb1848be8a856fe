// The broker of a measurement: as empty as a new one, and filled as fast as the client library can.

import { Connection } from "rabbitmq-client";
import { messageProperties } from "../../src/protocol/amqp/messages.ts";
import { declare, documentDeadLetters, documentQueues, topology } from "../../src/protocol/amqp/topology.ts";
import { concurrently } from "../concurrently.ts";
import type { Broker, MeasureInput } from "../measure.ts";

/** Confirms that are waited for at once: as many as the server waits for. */
const together = 500;
const loops = 4;

export async function emptyBroker({ broker }: MeasureInput): Promise<Broker> {
  if (broker === null) throw new Error("The measurement needs a broker");
  const queues = Object.keys(documentQueues);
  await connected(broker, async (connection) => {
    const channel = await connection.acquire();
    for (const queue of [...queues, documentDeadLetters.queue]) await channel.queueDelete({ queue });
    await declare(channel, topology(queues));
    await channel.close();
  });
  return broker;
}

/** Persistent, and confirmed; resolves when all of them are. */
export function publish(
  broker: Broker,
  queue: string,
  messages: number,
  bodyOf: (nth: number) => string,
): Promise<void> {
  return connected(broker, async (connection) => {
    const channel = await connection.acquire();
    await channel.confirmSelect();
    let sent = 0;
    await concurrently(loops, async () => {
      const from = sent;
      sent = Math.min(messages, sent + together);
      await Promise.all(
        Array.from({ length: sent - from }, (_, nth) =>
          channel.basicPublish({ ...messageProperties, routingKey: queue }, Buffer.from(bodyOf(from + nth))),
        ),
      );
      return sent < messages;
    });
    await channel.close();
  });
}

async function connected(broker: Broker, work: (connection: Connection) => Promise<void>): Promise<void> {
  const connection = new Connection({ url: broker.url, noDelay: true });
  try {
    await work(connection);
  } finally {
    await connection.close();
  }
}
