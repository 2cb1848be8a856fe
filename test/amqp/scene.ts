// A real broker with queues of the test's own, and messages in the test's hands.

import { after } from "node:test";
import { Connection } from "rabbitmq-client";
import { messageProperties } from "../../src/protocol/amqp/messages.ts";
import { declare, topology } from "../../src/protocol/amqp/topology.ts";
import { newKey } from "../../src/sdk/system.ts";

export const amqpUrl = process.env["LEADHAND_TEST_AMQP_URL"] ?? "";
/** Of this program alone: dead letters of other tests are none of its business. Consumers read them from here. */
const deadLetters = { exchange: `test.dlx.${newKey()}`, queue: `test.dead-letter.${newKey()}` };
export const deadLetterSettings = {
  LEADHAND_AMQP_DEAD_LETTER: deadLetters.exchange,
  LEADHAND_AMQP_DEAD_LETTER_QUEUE: deadLetters.queue,
};
Object.assign(process.env, deadLetterSettings);
/** Said aloud by the runner. */
export const skip =
  amqpUrl === "" && "There is no broker: set LEADHAND_TEST_AMQP_URL, or run by tools/with-rabbitmq.ts";

export interface BrokerScene {
  /** A queue that no other test has, declared as servers declare it. */
  queue(): Promise<string>;
  /** The same, with other arguments than servers and consumers declare it. */
  otherQueue(): Promise<string>;
  send(queue: string, body: string | object, headers?: Record<string, unknown>): Promise<void>;
  /** The task's message, as the server sends it. */
  tell(queue: string, ...tasks: readonly string[]): Promise<void>;
  /** Makes the queue as if it had never been. */
  forget(queue: string): Promise<void>;
  /** How many wait in it. */
  depth(queue: string): Promise<number>;
  /** Takes what waits. */
  taken(queue: string): Promise<readonly TakenMessage[]>;
  /** Takes what is among the dead letters. */
  deadLetters(): Promise<readonly string[]>;
}

export interface TakenMessage {
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The broker has delivered it before. */
  readonly isRepeated: boolean;
}

export function brokerScene(): BrokerScene {
  const connection = new Connection(amqpUrl);
  connection.on("error", () => undefined);
  const queues: string[] = [deadLetters.queue];
  const sending = connection.createPublisher({ confirm: true });
  after(async () => {
    for (const queue of queues) await connection.queueDelete(queue).catch(() => undefined);
    await connection.exchangeDelete({ exchange: deadLetters.exchange }).catch(() => undefined);
    await sending.close();
    await connection.close();
  });

  async function send(queue: string, body: string | object, headers: Record<string, unknown> = {}): Promise<void> {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    await sending.send({ routingKey: queue, ...messageProperties, headers }, Buffer.from(text));
  }

  async function taken(queue: string): Promise<readonly TakenMessage[]> {
    const found: TakenMessage[] = [];
    for (;;) {
      const message = await connection.basicGet({ queue, noAck: true });
      if (message === undefined) return found;
      const { body, headers = {}, redelivered: isRepeated } = message;
      found.push({ text: Buffer.from(body).toString(), headers, isRepeated });
    }
  }

  return {
    async queue() {
      const name = `test.${newKey()}`;
      queues.push(name);
      const channel = await connection.acquire();
      await declare(channel as never, topology([name], deadLetters));
      await channel.close();
      return name;
    },
    async otherQueue() {
      const name = `test.${newKey()}`;
      queues.push(name);
      await connection.queueDeclare({ queue: name, durable: true, arguments: { "x-max-priority": 3 } });
      return name;
    },
    send,
    async tell(queue, ...tasks) {
      for (const id of tasks) await send(queue, { job_id: id });
    },
    async forget(queue) {
      await connection.queueDelete(queue);
    },
    async depth(queue) {
      return (await connection.queueDeclare({ queue, passive: true })).messageCount;
    },
    taken,
    deadLetters: async () => (await taken(deadLetters.queue)).map(({ text }) => text),
  };
}
