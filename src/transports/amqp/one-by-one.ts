// Sends messages alone that may be the reason why the broker ended a channel, or that were: each is confirmed before the
// next, on a channel that nobody else uses. The one that ends it again is set aside.

import type { Log } from "../../ports/log.ts";
import { brokerWords } from "../../protocol/amqp/broker-words.ts";
import type { RabbitLink } from "./rabbit-link.ts";
import { codeOf } from "./rabbit-questions.ts";
import type { Fate, SendingChannel } from "./sending-channel.ts";
import type { SetAside } from "./set-aside.ts";

export interface OneByOneParts {
  readonly link: RabbitLink;
  readonly aside: SetAside;
  readonly log: Log;
  readonly confirmWithinMs: number;
}

/** Those that are not tried, because nothing gets through any more, are refused. */
export async function oneByOne(
  { link, aside, log, confirmWithinMs }: OneByOneParts,
  queue: string,
  bodies: readonly string[],
): Promise<Fate[]> {
  const fates = bodies.map((): Fate => "refused");
  let channel: SendingChannel | null = null;

  async function send(body: string): Promise<Fate> {
    if (channel?.isOpen() !== true) channel = await link.another();
    const [fate = "refused"] = await channel.send(queue, [body], confirmWithinMs);
    if (fate === "confirmed") aside.remove(queue, body);
    const fault = fate === "cut" ? channel.fault() : null;
    if (fault === null) return fate;
    // Not the message, but our right to send any.
    if (codeOf(fault) === "ACCESS_REFUSED") link.miss(queue, fault);
    else if (aside.add(queue, body)) tell(body, fault);
    return "refused";
  }

  function tell(body: string, fault: Error): void {
    const fields = { queue, bytes: Buffer.byteLength(body), error: brokerWords(fault) };
    log.error("RabbitMQ does not take a message; it is tried again once a minute", fields);
  }

  try {
    for (const [nth, body] of bodies.entries()) {
      if (!link.isUp() || !link.isThere(queue)) break;
      fates[nth] = await send(body);
      if (fates[nth] === "unheard") break;
    }
  } catch {
    // There is no channel to be had: whoever asked finds out that they are not confirmed.
  }
  void (channel as SendingChannel | null)?.close();
  return fates;
}
