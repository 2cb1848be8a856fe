// Acknowledgements of one turn, told to the broker together: one that stands for all up to it wherever none is missing in
// between. A broker spends about as much on each acknowledgement as on the delivery itself.

import { setImmediate as nextTurn } from "node:timers/promises";
import type { Channel, Connection } from "rabbitmq-client";
import { inPieces } from "../../protocol/amqp/together.ts";

/** One word to the broker. */
export interface Ack {
  readonly deliveryTag: number;
  /** It stands for all before it too that have not been spoken of. */
  readonly multiple: boolean;
}

export interface AckLedger {
  ack(tag: number): void;
  /** It was refused, which the broker has been told. */
  nack(tag: number): void;
  /** What the broker is to be told of all that was acknowledged since the last time. */
  take(): readonly Ack[];
}

/** The same channel, whose acknowledgements wait for the end of the turn. Nothing else waits, and all are told before it closes. */
export function gatheringAcks(connection: Connection, channel: Channel): Channel {
  const ledger = ackLedger();
  const [ack, nack, close] = [channel.basicAck, channel.basicNack, channel.close];
  let isWaiting = false;

  function tell(): void {
    isWaiting = false;
    // What a channel that is gone was not told of is delivered again.
    if (channel.active) inPieces(connection, ledger.take(), (each) => ack.call(channel, each));
  }

  return Object.assign(channel, {
    basicAck(params: Parameters<Channel["basicAck"]>[0]) {
      const { deliveryTag } = params;
      if (!channel.active || deliveryTag === undefined) return ack.call(channel, params);
      ledger.ack(deliveryTag);
      if (isWaiting) return;
      isWaiting = true;
      setImmediate(tell);
    },
    basicNack(params: Parameters<Channel["basicNack"]>[0]) {
      nack.call(channel, params);
      if (params.deliveryTag !== undefined) ledger.nack(params.deliveryTag);
    },
    close() {
      tell();
      return close.call(channel);
    },
  });
}

/** Resolves when what was judged by now has been told: a verdict reaches its channel within the turn, and leaves with the next. */
export async function acksHaveLeft(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Of one channel, whose deliveries the broker numbers from 1 on. */
export function ackLedger(): AckLedger {
  /** All up to here have been spoken of. */
  let low = 0;
  const acked = new Set<number>();
  // What has been told out of order is passed over when its turn comes.
  const told = runs();

  return {
    ack: (tag) => void acked.add(tag),
    nack: told.add,
    take() {
      let last: number | null = null;
      for (let next = low + 1; ; next = low + 1) {
        if (acked.delete(next)) last = next;
        else if (!told.has(next)) break;
        low = told.takeFrom(next);
      }
      const acks: Ack[] = last === null ? [] : [{ deliveryTag: last, multiple: true }];
      for (const deliveryTag of acked) acks.push({ deliveryTag, multiple: false });
      for (const tag of acked) told.add(tag);
      acked.clear();
      return acks;
    },
  };
}

/** Numbers, of which many follow one another: behind one delivery that is long in hand there may be millions. */
function runs() {
  const lastOf = new Map<number, number>();
  const firstOf = new Map<number, number>();

  return {
    add(n: number): void {
      const first = firstOf.get(n - 1) ?? n;
      const last = lastOf.get(n + 1) ?? n;
      firstOf.delete(n - 1);
      lastOf.delete(n + 1);
      lastOf.set(first, last);
      firstOf.set(last, first);
    },
    /** Whether a run begins there. */
    has: (first: number): boolean => lastOf.has(first),
    /** Forgets the run that begins there, if any, and answers its last. */
    takeFrom(first: number): number {
      const last = lastOf.get(first) ?? first;
      lastOf.delete(first);
      firstOf.delete(last);
      return last;
    },
  };
}
