// A worker's connection to RabbitMQ: one for what it consumes and what it publishes. It comes back by itself; a broker
// that is away costs time, and is told of once.

import { setTimeout as pause } from "node:timers/promises";
import type { Connection } from "rabbitmq-client";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import {
  type DeadLetters,
  type Declaring,
  declare,
  documentDeadLetters,
  type Topology,
  topology,
} from "../../protocol/amqp/topology.ts";
import type { WorkerLog } from "../worker/options.ts";
import { type Consuming, consuming, type Delivery, type QueueOptions, type Verdict } from "./consuming.ts";
import { gatheringAcks } from "./gathered-acks.ts";
import { publisher } from "./publisher.ts";

export interface BrokerLink {
  /** Messages come from now on; each is kept by the broker until its verdict. */
  consume(queue: string, prefetch: () => number, onMessage: (delivery: Delivery) => Promise<Verdict>): Consuming;
  /** Resolves when the broker has it; rejects where it could not be sent. */
  publish(queue: string, body: string, headers?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Resolves when it is closed; what has no verdict goes back into its queue. */
  close(): Promise<void>;
}

export interface BrokerLinkParts {
  readonly url: string;
  readonly log: WorkerLog;
  readonly name: string;
  /** The document's where absent. */
  readonly deadLetters?: Partial<DeadLetters>;
  /** Queues that run one task at a time; the document's where absent. */
  readonly serial?: ReadonlySet<string>;
  /** The longest pause between two looks for a broker that is away. */
  readonly reconnectMs: number;
}

/** Before the second look for a broker that is away, and between two tries of one that refuses something. */
const lookMs = 1_000;
const closeMsMax = 2_000;
/**
 * Twice this long without a word, and each side takes the other for dead: handlers may block the whole program for long. The
 * broker may ask for less, and wins; a `heartbeat` in the URL is what is said in its place.
 */
const heartbeatSeconds = 600;

export async function brokerLink(parts: BrokerLinkParts): Promise<BrokerLink> {
  const { log } = parts;
  const deadLetters: DeadLetters = { ...documentDeadLetters, ...parts.deadLetters };
  // Only loaded where it is used.
  const { Connection: Connected } = await import("rabbitmq-client");
  const connection = new Connected({
    ...{ url: parts.url, connectionName: parts.name, noDelay: true, heartbeat: heartbeatSeconds },
    ...{ retryLow: Math.min(lookMs, parts.reconnectMs), retryHigh: parts.reconnectMs },
  });
  const acquire = connection.acquire.bind(connection);
  connection.acquire = async (options) => gatheringAcks(connection, await acquire(options));
  const closed = new AbortController();
  const over = closed.signal;
  const { note, back } = outageNotes(connection, log, over);
  const declared = (queue: string) => topology([queue], deadLetters, parts.serial);
  const publish = publisher(connection, declared);
  const consumers: { close(): Promise<void> }[] = [];

  return {
    consume(queue, prefetch, onMessage) {
      const made = consuming({
        ...{ connection, queue, prefetch, log, onMessage, note, back },
        // The dead letters have to have a place before there are any.
        declare: () => declareFirst(connection, declared(queue), { note, over, log }),
        waits: { baseMs: Math.min(lookMs, parts.reconnectMs), capMs: parts.reconnectMs },
      });
      consumers.push(made);
      return made;
    },
    publish: publish.send,
    async close() {
      closed.abort();
      const closing = Promise.all([...consumers.map((each) => each.close()), publish.close()])
        .then(() => connection.close())
        .catch(note);
      const impatience = new Promise<void>((resolve) => setTimeout(resolve, closeMsMax).unref());
      await Promise.race([closing, impatience]);
      connection.unsafeDestroy();
    },
  };
}

/**
 * Resolves with how the queue is declared from then on; null where nobody wants it any more. A queue that is there with
 * other arguments, perhaps by an older program, is used as it is.
 */
async function declareFirst(
  connection: Connection,
  wanted: Topology,
  { note, over, log }: { note(error: unknown): void; readonly over: AbortSignal; readonly log: WorkerLog },
): Promise<QueueOptions | null> {
  const [queue] = wanted.queues;
  while (!over.aborted) {
    try {
      const channel = await connection.acquire();
      await declare(channel as unknown as Declaring, wanted).finally(() => channel.close().catch(() => {}));
      return { ...queue };
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === "PRECONDITION_FAILED") {
        log.error("the broker has this queue with other arguments; it is used as it is", { why: brokerWords(error) });
        return { passive: true };
      }
      note(error);
      await pause(lookMs, undefined, { signal: over }).catch(() => {});
    }
  }
  return null;
}

/** Once for each outage, however often the library says it. */
function outageNotes(connection: Connection, log: WorkerLog, over: AbortSignal) {
  let isAway = false;
  const note = (error: unknown): void => {
    if (isAway || over.aborted) return;
    isAway = true;
    log.warn("the broker has gone, or refuses something; trying on", { why: brokerWords(error) });
  };
  const back = (): void => {
    if (isAway) log.info("the broker is there again");
    isAway = false;
  };
  connection.on("error", note);
  connection.on("connection", back);
  return { note, back };
}
