// Messages to queues, each confirmed by the broker. One that comes back had no queue to go to: the queue was deleted, is
// declared again, and the message sent once more.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Channel, Connection, Envelope, ReturnedMessage } from "rabbitmq-client";
import { messageProperties } from "../../protocol/amqp/messages.ts";
import { inPieces } from "../../protocol/amqp/together.ts";
import { type Declaring, declare, type Topology } from "../../protocol/amqp/topology.ts";

export interface Publisher {
  /** Resolves when the broker has it; rejects where it may not have it. */
  send(queue: string, body: string, headers?: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

/** A channel, and the queues that were declared on it. */
interface Open {
  readonly channel: Channel;
  readonly declared: Map<string, Promise<void>>;
}

export function publisher(connection: Connection, topologyFor: (queue: string) => Topology): Publisher {
  let open: Promise<Open> | null = null;
  const returned = new Set<string>();
  const asItIs = new Set<string>();
  let written: (() => void)[] = [];
  let last = 0;

  function opened(): Promise<Open> {
    const opening = open ?? acquire();
    open = opening;
    opening.catch(() => {
      if (open === opening) open = null;
    });
    return opening;
  }

  async function acquire(): Promise<Open> {
    const channel = await connection.acquire();
    channel.once("close", () => (open = null));
    channel.on("basic.return", ({ messageId = "" }: ReturnedMessage) => void returned.add(messageId));
    await channel.confirmSelect();
    return { channel, declared: new Map() };
  }

  async function ready(queue: string): Promise<Open> {
    const { channel, declared } = await opened();
    let declaring = declared.get(queue);
    if (declaring === undefined) {
      declaring = asItIs.has(queue) ? Promise.resolve() : declare(channel as unknown as Declaring, topologyFor(queue));
      declared.set(queue, declaring);
    }
    try {
      await declaring;
    } catch (error) {
      // It is there, with other arguments; the broker has closed the channel over it.
      if ((error as { readonly code?: unknown }).code !== "PRECONDITION_FAILED") throw error;
      asItIs.add(queue);
      if (open !== null && (await opened()).channel === channel) open = null;
      return ready(queue);
    }
    return { channel, declared };
  }

  /** What is published in one turn leaves together. */
  function publish(channel: Channel, envelope: Envelope, body: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (written.length === 0) setImmediate(writeAll);
      written.push(() => void channel.basicPublish(envelope, Buffer.from(body)).then(resolve, reject));
    });
  }

  function writeAll(): void {
    const all = written;
    written = [];
    inPieces(connection, all, (write) => write());
  }

  /** False: it came back. */
  async function sendOnce(queue: string, body: string, headers: Readonly<Record<string, unknown>>): Promise<boolean> {
    const { channel, declared } = await ready(queue);
    last += 1;
    const messageId = String(last);
    const envelope = { routingKey: queue, mandatory: true, messageId, headers: { ...headers }, ...messageProperties };
    await publish(channel, envelope, body);
    // What comes back is confirmed too, and the client tells of that one turn later.
    await nextTurn();
    if (!returned.delete(messageId)) return true;
    declared.delete(queue);
    return false;
  }

  return {
    async send(queue, body, headers = {}) {
      if (await sendOnce(queue, body, headers)) return;
      if (!(await sendOnce(queue, body, headers))) throw new Error(`The broker has no place for a message to ${queue}`);
    },
    async close() {
      const last = await open?.catch(() => null);
      await last?.channel.close();
    },
  };
}
