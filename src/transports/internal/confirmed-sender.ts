// Messages to RabbitMQ of which the sender knows what became: whether they are in the queue that they were meant for.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { aliveExchange } from "../../protocol/internal/amqp.ts";

export interface SenderParts {
  readonly connection: Connection;
  readonly clock: Clock;
  readonly log: Pick<Log, "debug">;
  isUp(): boolean;
}

export interface ConfirmedSender {
  /** Answers whether it is in that queue; null where nobody can tell. Never rejects. */
  send(queue: string, message: unknown, persistent?: boolean): Promise<boolean | null>;
  /** To everybody who hears of all executors. */
  broadcast(message: unknown): Promise<void>;
  close(): Promise<void>;
}

/** A broker that does not confirm within this time has not taken it. */
const confirmWithinMs = 3_000;

export const alive = { exchange: aliveExchange, type: "fanout", durable: true } as const;

export function confirmedSender({ connection, clock, log, isUp }: SenderParts): ConfirmedSender {
  const publisher = connection.createPublisher({ confirm: true, exchanges: [alive] });
  const returned = new Set<string>();
  let count = 0;
  publisher.on("basic.return", ({ messageId }) => void returned.add(messageId ?? ""));

  async function sent(envelope: Parameters<typeof publisher.send>[0], message: unknown): Promise<boolean> {
    if (!isUp()) return false;
    try {
      await answered(clock, publisher.send(envelope, JSON.stringify(message)));
      return true;
    } catch (error) {
      log.debug("a message about internal jobs was not sent", { error });
      return false;
    }
  }

  return {
    async send(queue, message, persistent = false) {
      count += 1;
      const messageId = String(count);
      const isSent = await sent({ routingKey: queue, mandatory: true, durable: persistent, messageId }, message);
      // What found no queue is confirmed too, and the client tells of that one turn later.
      await nextTurn();
      return returned.delete(messageId) ? false : isSent || null;
    },
    async broadcast(message) {
      await sent({ exchange: aliveExchange }, message);
    },
    close: () => publisher.close(),
  };
}

/** Rejects when RabbitMQ does not answer in time. */
export async function answered<T>(clock: Clock, asking: Promise<T>): Promise<T> {
  // Whoever waited no longer must not be surprised by its end.
  asking.catch(() => {});
  const { promise, reject } = Promise.withResolvers<never>();
  const late = new Error(`RabbitMQ has not answered within ${confirmWithinMs} ms`);
  const silence = clock.alarm(clock.now() + confirmWithinMs, () => reject(late));
  return Promise.race([asking, promise]).finally(silence);
}
