// A RabbitMQ of the run's own, and hands that reach into it past everybody else.

import { after } from "node:test";
import { type Channel, Connection, type SyncMessage } from "rabbitmq-client";
import { messageProperties } from "../../../src/protocol/amqp/messages.ts";
import { type Rabbitmq, startRabbitmq } from "../../../tools/rabbitmq.ts";

export interface ChaosBroker extends Pick<Rabbitmq, "down" | "kill" | "up" | "ctl"> {
  readonly port: number;
  /** How many messages wait in it; null where there is no such queue. */
  depth(queue: string): Promise<number | null>;
  /** Answers how many messages are lost by it. */
  purge(queue: string): Promise<number>;
  delete(queue: string, options?: { readonly ifEmpty?: boolean }): Promise<number>;
  send(queue: string, texts: readonly string[]): Promise<void>;
  /** Takes up to so many and puts each back twice, in the opposite order. Answers how many. */
  shuffle(queue: string, max: number): Promise<number>;
  /** Takes all that waits. */
  taken(queue: string): Promise<readonly string[]>;
}

export async function chaosBroker(): Promise<ChaosBroker> {
  const rabbitmq = await startRabbitmq();
  after(() => rabbitmq.stop());
  const { url, control } = rabbitmq;

  async function reaching<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    const connection = new Connection({ url, acquireTimeout: 10_000, retryLow: 100 });
    connection.on("error", () => undefined);
    try {
      const channel = await connection.acquire();
      await channel.confirmSelect();
      return await work(channel);
    } finally {
      connection.unsafeDestroy();
    }
  }

  function publish(channel: Channel, queue: string, body: string): Promise<void> {
    return channel.basicPublish({ routingKey: queue, ...messageProperties }, Buffer.from(body));
  }

  async function get(channel: Channel, queue: string, max: number): Promise<readonly SyncMessage[]> {
    const found: SyncMessage[] = [];
    while (found.length < max) {
      const message = await channel.basicGet({ queue });
      if (message === undefined) break;
      found.push(message);
    }
    return found;
  }

  return {
    ...{ down: rabbitmq.down, kill: rabbitmq.kill, up: rabbitmq.up, ctl: rabbitmq.ctl, port: control.port },
    depth: (queue) =>
      reaching(async (channel) => (await channel.queueDeclare({ queue, passive: true })).messageCount).catch(
        (error) => {
          if (error.code === "NOT_FOUND") return null;
          throw error;
        },
      ),
    purge: (queue) => reaching(async (channel) => (await channel.queuePurge(queue)).messageCount),
    delete: (queue, options = {}) =>
      reaching(async (channel) => (await channel.queueDelete({ queue, ...options })).messageCount),
    send: (queue, texts) =>
      reaching(async (channel) => void (await Promise.all(texts.map((text) => publish(channel, queue, text))))),
    shuffle: (queue, max) =>
      reaching(async (channel) => {
        const found = await get(channel, queue, max);
        for (const { body } of found.toReversed()) {
          const text = Buffer.from(body).toString();
          await Promise.all([publish(channel, queue, text), publish(channel, queue, text)]);
        }
        for (const { deliveryTag } of found) channel.basicAck({ deliveryTag });
        // Answered only once the acknowledgements before it are through.
        await channel.queueDeclare({ queue, passive: true });
        return found.length;
      }),
    taken: (queue) =>
      reaching(async (channel) => {
        const found = await get(channel, queue, Number.POSITIVE_INFINITY);
        for (const { deliveryTag } of found) channel.basicAck({ deliveryTag });
        await channel.queueDeclare({ queue, passive: true });
        return found.map(({ body }) => Buffer.from(body).toString());
      }),
  };
}
