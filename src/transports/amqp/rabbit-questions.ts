// What is asked of a broker beside messages, one question after the other, on a channel of its own: a broker answers what
// it does not like by ending the channel, and publishing must not suffer from that. A queue may take for ever to answer
// although the broker is well; its question then keeps the channel for itself, and the next are asked on another.

import type { Channel, Connection } from "rabbitmq-client";
import type { Clock } from "../../ports/clock.ts";
import { inTime } from "./in-time.ts";

export interface RabbitQuestions {
  /** Rejects at once where an earlier question about the same is still not answered. */
  ask<T>(about: string, question: (channel: Channel) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RabbitQuestionsOptions {
  readonly clock: Clock;
  /** Null while there is none. */
  connection(): Connection | null;
  /** How long it may take to answer. */
  readonly answerMs: number;
}

/** So many times sooner than it is given up, an answer is no longer waited for by whoever has another question. */
const turnsPerAnswer = 10;

export function rabbitQuestions({ clock, connection, answerMs }: RabbitQuestionsOptions): RabbitQuestions {
  /** What they are about whose answers others do not wait for. */
  const late = new Set<string>();
  let free: Channel | null = null;
  let turn: Promise<unknown> = Promise.resolve();

  function ask<T>(about: string, question: (channel: Channel) => Promise<T>): Promise<T> {
    const before = turn;
    const answer = before.then(() => asked(about, question));
    const settled = answer.then(
      () => {},
      () => {},
    );
    turn = before.then(() => inTurn(about, settled));
    return before.then(() => inTime(clock, answerMs, answer));
  }

  /** Resolves when the next may ask. */
  async function inTurn(about: string, settled: Promise<void>): Promise<void> {
    await inTime(clock, answerMs / turnsPerAnswer, settled).catch(() => {
      late.add(about);
      void settled.then(() => late.delete(about));
    });
  }

  async function asked<T>(about: string, question: (channel: Channel) => Promise<T>): Promise<T> {
    if (late.has(about)) throw new Error(`RabbitMQ has not answered yet what it was asked about ${about} before`);
    const on = connection();
    if (on === null) throw new Error("there is no connection");
    const channel = await taken(on);
    try {
      return await question(channel);
    } finally {
      giveBack(channel);
    }
  }

  async function taken(on: Connection): Promise<Channel> {
    const channel = free;
    free = null;
    return channel?.active === true ? channel : quietChannel(on);
  }

  /** One that is not answered has its channel for good: to end it, too, the broker would have to answer first. */
  function giveBack(channel: Channel): void {
    if (free?.active === true) void channel.close();
    else free = channel;
  }

  return {
    ask,
    async close() {
      await free?.close();
    },
  };
}

/** How questions about a queue, and complaints, name it. */
export function queueWords(queue: string): string {
  return `the queue ${queue}`;
}

/** What goes wrong on it is told to whoever waits for an answer. */
export async function quietChannel(connection: Connection): Promise<Channel> {
  const channel = await connection.acquire({ emitErrorsFromChannel: true });
  channel.on("error", () => {});
  return channel;
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? `${error.code}` : "";
}
