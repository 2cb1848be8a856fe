// One connection to RabbitMQ with a queue of its own, which is there while the connection is. What is sent to a queue that
// is not there is known to be lost; what is lost otherwise has to be told again by whoever cares.

import { Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import { aliveExchange } from "../../protocol/internal/amqp.ts";
import { alive, answered, type ConfirmedSender, confirmedSender } from "./confirmed-sender.ts";

export interface RabbitWireOptions {
  readonly url: string;
  /** Its own queue. */
  readonly queue: string;
  /** Whether it hears of all executors. */
  readonly hearsAll: boolean;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
  hear(message: unknown): void;
  /** It can be reached from now on, or no longer. */
  changed(): void;
}

export interface RabbitWire extends Omit<ConfirmedSender, "close"> {
  readonly connection: Connection;
  /** Since when it can be reached; null while it cannot. */
  upSince(): number | null;
  /** How many messages wait in a queue of assignments, which is there afterwards; null where nobody can tell. */
  depth(queue: string): Promise<number | null>;
  stop(): Promise<void>;
}

const retry = { retryLow: 200, retryHigh: 1_000, acquireTimeout: 5_000 };
/** How long what was sent may take to leave when the wire is closed. */
const closeWithinMs = 2_000;

export function rabbitWire({ url, queue, hearsAll, clock, log, hear, changed }: RabbitWireOptions): RabbitWire {
  const connection = new Connection({ url, connectionName: queue, heartbeat: 10, ...retry });
  const queueOptions = { queue, exclusive: true, autoDelete: true };
  const queueBindings = hearsAll ? [{ exchange: aliveExchange, queue }] : [];
  const about = { queue, noAck: true, queueOptions, exchanges: [alive], queueBindings };
  const consumer = connection.createConsumer(about, ({ body }) => heard(body));
  let since: number | null = null;
  let isMissed = false;
  let stopped = false;
  const isUp = (): boolean => since !== null && connection.ready && !stopped;
  const { close, ...sender } = confirmedSender({ connection, clock, log, isUp });

  consumer.on("ready", () => {
    since = clock.now();
    if (isMissed) log.info("RabbitMQ can be used");
    isMissed = false;
    changed();
  });
  connection.on("error", down);
  // The queue was deleted under it, or its channel closed: it is on its way to a new one.
  consumer.on("error", down);

  function down(error: unknown): void {
    const was = since;
    since = null;
    if (stopped) return;
    // Once, for it goes on trying.
    const why = { error: brokerWords(error) };
    if (isMissed) log.debug("RabbitMQ cannot be used", why);
    else log.warn(was === null ? "RabbitMQ cannot be used yet; trying on" : "the connection to RabbitMQ was lost", why);
    isMissed = true;
    if (was !== null) changed();
  }

  function heard(body: unknown): void {
    try {
      hear(read(body));
    } catch (error) {
      log.warn("a message about internal jobs could not be used", { error });
    }
  }

  async function closed(): Promise<void> {
    await Promise.all([consumer.close(), close()]);
    await connection.close();
  }

  return {
    connection,
    ...sender,
    upSince: () => (isUp() ? since : null),
    async depth(name) {
      if (!isUp()) return null;
      try {
        return (await answered(clock, connection.queueDeclare(assignments(name)))).messageCount;
      } catch (error) {
        log.debug("a queue of internal jobs could not be looked at", { error });
        return null;
      }
    },
    async stop() {
      if (stopped) return;
      const closing = isUp() ? closed().catch((error) => log.debug("RabbitMQ was not left well", { error })) : null;
      stopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const silence = clock.alarm(clock.now() + closeWithinMs, resolve);
      if (closing !== null) await Promise.race([closing, late]);
      silence();
      connection.unsafeDestroy();
    },
  };
}

/** A version of the jobs that nobody has any more takes its queue with it after so long. */
const unusedMs = 24 * 3_600_000;

/** Declared the same by servers and executors. */
export function assignments(queue: string) {
  return { queue, durable: true, arguments: { "x-expires": unusedMs } } as const;
}

/** What a sender wrote. */
export function read(body: unknown): unknown {
  return typeof body === "string" || Buffer.isBuffer(body) ? JSON.parse(body.toString()) : body;
}
