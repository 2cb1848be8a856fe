// A channel on which the broker confirms messages, and what became of each that was sent on it.

import { setImmediate as nextTurn } from "node:timers/promises";
import { AMQPChannelError, type Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import { messageProperties } from "../../protocol/amqp/messages.ts";
import { inPieces } from "../../protocol/amqp/together.ts";
import { inTime } from "./in-time.ts";
import { codeOf, quietChannel } from "./rabbit-questions.ts";

/**
 * `returned`: it found no queue. `refused`: the broker said no to this one. `cut`: the channel ended before it was
 * answered. `unheard`: there was no answer in time.
 */
export type Fate = "confirmed" | "returned" | "refused" | "cut" | "unheard";

export interface SendingChannel {
  isOpen(): boolean;
  /** Why the broker ended it; null while it has not. */
  fault(): AMQPChannelError | null;
  send(queue: string, bodies: readonly string[], limitMs: number): Promise<Fate[]>;
  close(): Promise<void>;
}

export async function sendingChannel(connection: Connection, clock: Clock): Promise<SendingChannel> {
  const channel = await quietChannel(connection);
  /** Ids of messages that found no queue; each is asked for as soon as its fate is known. */
  const returned = new Set<string>();
  /** Whoever waits for confirms: the client forgets some of them where the channel ends. */
  const waiting = new Set<() => void>();
  let fault: AMQPChannelError | null = null;
  let sent = 0;

  function note(error: unknown): void {
    if (error instanceof AMQPChannelError && codeOf(error) !== "CH_CLOSE") fault = error;
  }

  async function confirmed(confirms: readonly Promise<unknown>[], limitMs: number): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    waiting.add(resolve);
    await inTime(clock, limitMs, Promise.race([Promise.all(confirms), closed])).catch(() => {});
    waiting.delete(resolve);
  }

  channel.on("error", note);
  channel.on("basic.return", ({ messageId = "" }) => void returned.add(messageId));
  channel.on("close", () => {
    for (const resolve of waiting) resolve();
  });
  await channel.confirmSelect();

  return {
    isOpen: () => channel.active,
    fault: () => fault,
    close: () => channel.close(),
    async send(queue, bodies, limitMs) {
      const first = sent + 1;
      sent += bodies.length;
      const fates = bodies.map((): Fate => "unheard");
      const envelope = { ...messageProperties, routingKey: queue, mandatory: true };
      const publish = async (body: string, nth: number): Promise<void> => {
        try {
          await channel.basicPublish({ ...envelope, messageId: `${first + nth}` }, Buffer.from(body));
          fates[nth] = "confirmed";
        } catch (error) {
          fates[nth] = codeOf(error) === "NACK" ? "refused" : "cut";
          note(error);
        }
      };
      const confirms: Promise<void>[] = [];
      inPieces(connection, bodies, (body, nth) => confirms.push(publish(body, nth)));
      if (channel.active) await confirmed(confirms, limitMs);
      // What was returned is confirmed too, and the client tells of the return one turn later.
      await nextTurn();
      for (const [nth, fate] of fates.entries()) {
        if (returned.delete(`${first + nth}`)) fates[nth] = "returned";
        else if (fate === "unheard" && !channel.active) fates[nth] = "cut";
      }
      return fates;
    },
  };
}
