// The messages of one queue, on a channel of their own each time that they are wanted, and after each break of the
// connection. A channel that is left is not waited for: what is in hand there gets its verdict when it ends, and where the
// channel is gone by then the broker delivers the message again.

import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";
import type { AsyncMessage, Channel, Connection, ConsumerProps } from "rabbitmq-client";
import { waitMs } from "../../core/patience.ts";
import { wordsOf } from "../failure.ts";
import type { WorkerLog } from "../worker/options.ts";

/** What becomes of a message: it is done with, goes back into its queue, or to the dead letters. */
export type Verdict = "ack" | "requeue" | "deadLetter";

export interface Delivery {
  /** As it came. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  /** It was delivered before, and got no verdict, or went back. */
  readonly isRepeated: boolean;
  /** Its channel has ended: the broker hears no verdict on it, and delivers it again. */
  isLost(): boolean;
}

/** Messages of one queue. */
export interface Consuming {
  /**
   * No message comes until `resume`; those that are here get their verdicts all the same. Resolves when the broker has heard
   * of it, or is away.
   */
  pause(): Promise<void>;
  resume(): void;
}

export type QueueOptions = NonNullable<ConsumerProps["queueOptions"]>;

export interface ConsumingParts {
  readonly connection: Connection;
  readonly queue: string;
  /** As it is when the messages are begun to be consumed. */
  prefetch(): number;
  readonly log: WorkerLog;
  /** Resolves with how the queue is declared; null where nobody wants it any more. */
  declare(): Promise<QueueOptions | null>;
  onMessage(delivery: Delivery): Promise<Verdict>;
  /** The broker has gone, or refused something; it is there. */
  note(error: unknown): void;
  back(): void;
  /** Of the pauses between two tries. */
  readonly waits: { readonly baseMs: number; readonly capMs: number };
}

/** Begins to consume. `close` resolves when all that is in hand has its verdict. */
export function consuming(parts: ConsumingParts): Consuming & { close(): Promise<void> } {
  const channels = new Set<Promise<void>>();
  let left: AbortController | null = null;
  let keeping: Promise<void> = Promise.resolve();
  /** A broker that was away may have forgotten it. */
  let known: QueueOptions | null = null;

  function leaving(done: Promise<void>): void {
    channels.add(done);
    void done.finally(() => channels.delete(done));
  }

  /** Never rejects. Resolves when the messages are not wanted any more. */
  async function keep(over: AbortSignal): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        known ??= await parts.declare();
        if (known === null || over.aborted) return;
        await sit(parts, known, over, { leaving, onReady: () => (tried = 1) });
      } catch (error) {
        parts.note(error);
      }
      if (over.aborted) return;
      known = null;
      await pause(waitMs(parts.waits, tried), undefined, { signal: over }).catch(() => {});
    }
  }

  const messages = {
    pause() {
      left?.abort();
      left = null;
      return keeping;
    },
    resume() {
      if (left !== null) return;
      left = new AbortController();
      keeping = keep(left.signal);
      leaving(keeping);
    },
    async close() {
      void messages.pause();
      while (channels.size > 0) await Promise.all(channels);
    },
  };
  messages.resume();
  return messages;
}

/** Consumes by one channel until it is lost or left. */
async function sit(
  parts: ConsumingParts,
  options: QueueOptions,
  left: AbortSignal,
  { leaving, onReady }: { leaving(done: Promise<void>): void; onReady(): void },
): Promise<void> {
  const { queue, note } = parts;
  const channel = await parts.connection.acquire({ emitErrorsFromChannel: true });
  const inHand = new Set<Promise<void>>();
  const lost = new Promise<void>((resolve) => {
    channel.on("error", note);
    channel.once("close", resolve);
    channel.once("basic.cancel", (_tag, error) => {
      note(error);
      resolve();
    });
  });
  try {
    await channel.queueDeclare({ ...options, queue });
    await channel.basicQos({ prefetchCount: parts.prefetch() });
    const { consumerTag } = await channel.basicConsume({ queue }, (message) => {
      const judged = judge(parts, channel, message).finally(() => inHand.delete(judged));
      inHand.add(judged);
    });
    parts.back();
    onReady();
    // At once, so that nothing that goes back then comes here again.
    const cancelled = whenAborted(left, () => cancel(channel, consumerTag));
    await Promise.race([lost, cancelled]);
  } finally {
    leaving(leave(channel, inHand));
  }
}

async function judge(
  { onMessage, log, queue }: ConsumingParts,
  channel: Channel,
  { body, headers = {}, deliveryTag, redelivered }: AsyncMessage,
): Promise<void> {
  try {
    const isLost = () => !channel.active;
    const verdict = await onMessage({ body, headers, isRepeated: redelivered, isLost });
    if (!channel.active) return;
    if (verdict === "ack") channel.basicAck({ deliveryTag });
    else channel.basicNack({ deliveryTag, requeue: verdict === "requeue" });
  } catch (error) {
    log.debug("the broker was not told what became of a message", { queue, why: wordsOf(error) });
  }
}

/** Never rejects. What came before the broker heard of it is here by then. */
async function cancel(channel: Channel, consumerTag: string): Promise<void> {
  await channel.basicCancel({ consumerTag }).catch(() => {});
  await nextTurn();
}

/** Never rejects. The channel closes when nothing of it is in hand. */
async function leave(channel: Channel, inHand: Set<Promise<void>>): Promise<void> {
  while (inHand.size > 0) await Promise.all(inHand);
  await channel.close().catch(() => {});
}

function whenAborted(signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  if (signal.aborted) return act();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(act()), { once: true });
  });
}
