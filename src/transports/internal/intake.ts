// How an executor takes assignments from their queue: one for each place that is free, and none beside, so that what one
// executor has no place for is there for the others. Each free place stands in the queue by itself, and leaves it with the
// one message it was given.

import type { AsyncMessage, Channel, Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { answered } from "./confirmed-sender.ts";
import { assignments, read } from "./rabbit-wire.ts";

export interface IntakeParts {
  readonly connection: Connection;
  readonly queue: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn" | "debug">;
  /** How many tasks more it has places for. */
  free(): number;
  /** Each free place stands in the queue now. */
  filled(): void;
  /** Resolves when the message is not needed any more. Until then, whoever takes over if this process dies is given it. */
  take(message: unknown): Promise<void>;
}

export interface Intake {
  /** To be called whenever there may be more places, or a connection again. */
  fill(): void;
  /** Takes nothing more from now on. Resolves when RabbitMQ knows, or has not answered in time. */
  stop(): Promise<void>;
}

const retryMs = 300;

export function intake({ connection, queue, clock, log, free, filled, take }: IntakeParts): Intake {
  const standing = new Set<string>();
  let channel: Channel | null = null;
  let filling: Promise<void> | null = null;
  let leaving = 0;
  let count = 0;
  let stopped = false;

  async function open(): Promise<Channel> {
    const opened = await connection.acquire({ emitErrorsFromChannel: true });
    opened.on("error", (error) => log.debug("internal tasks cannot be taken for now", { error }));
    opened.on("basic.cancel", (tag) => {
      standing.delete(tag);
      fill();
    });
    opened.once("close", () => {
      channel = null;
      standing.clear();
      later();
    });
    await opened.queueDeclare(assignments(queue));
    // Of each place, not of all together.
    await opened.basicQos({ prefetchCount: 1 });
    return opened;
  }

  async function stand(on: Channel): Promise<void> {
    count += 1;
    const consumerTag = `place-${count}`;
    standing.add(consumerTag);
    await on.basicConsume({ queue, consumerTag }, (message) => void given(on, consumerTag, message));
  }

  async function given(on: Channel, tag: string, message: AsyncMessage): Promise<void> {
    if (!standing.delete(tag) || stopped) return;
    leaving += 1;
    try {
      // Before it is acknowledged, or the place would be given the next one.
      await on.basicCancel(tag);
    } catch (error) {
      // The channel is gone, and the message with it: somebody else is given it.
      return log.debug("an internal task was taken back", { error });
    } finally {
      leaving -= 1;
    }
    // It goes back with the channel.
    if (stopped) return;
    try {
      await take(read(message.body));
    } catch (error) {
      log.warn("an internal task could not be taken", { error });
    }
    if (on.active) on.basicAck({ deliveryTag: message.deliveryTag });
    fill();
  }

  async function fillAll(): Promise<void> {
    try {
      while (!stopped && standing.size + leaving < free()) {
        channel ??= await open();
        await stand(channel);
      }
      if (!stopped) filled();
    } catch (error) {
      log.debug("internal tasks cannot be taken for now", { error });
    }
  }

  function later(): void {
    if (!stopped) clock.alarm(clock.now() + retryMs, fill);
  }

  function fill(): void {
    if (stopped) return;
    filling ??= fillAll().finally(() => {
      filling = null;
      if (standing.size + leaving < free()) later();
    });
  }

  async function leave(): Promise<void> {
    await filling;
    await channel?.close();
  }

  return {
    fill,
    async stop() {
      stopped = true;
      // A broker without memory or disk answers nothing at all to whoever has sent it something.
      await answered(clock, leave()).catch((error) => log.debug("internal tasks were not left well", { error }));
    },
  };
}
