// Sends messages to queues of RabbitMQ: persistent, each confirmed by the broker, to a queue that is there. A message that
// was not confirmed may have arrived all the same; whoever reads it twice finds its task taken.

import type { Clock } from "../../ports/clock.ts";
import type { Courier, QueueLook } from "../../ports/courier.ts";
import type { Log } from "../../ports/log.ts";
import { type DeadLetters, documentDeadLetters, topology } from "../../protocol/amqp/topology.ts";
import { inTime } from "./in-time.ts";
import { oneByOne } from "./one-by-one.ts";
import { rabbitLink } from "./rabbit-link.ts";
import { codeOf, queueWords } from "./rabbit-questions.ts";
import type { Fate } from "./sending-channel.ts";
import { setAside } from "./set-aside.ts";

export interface RabbitCourierOptions {
  readonly url: string;
  /** What operators see in the broker's list of connections. */
  readonly name: string;
  readonly queues: Iterable<string>;
  /** Those of them that run one task at a time; the document's where absent. */
  readonly serial?: ReadonlySet<string>;
  readonly deadLetters?: DeadLetters;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: CourierMetrics;
  /** A broker that takes longer to confirm is taken for gone. */
  readonly confirmWithinMs?: number;
  /** How long it may take to answer a question about a queue. */
  readonly answerWithinMs?: number;
}

export interface CourierMetrics {
  published(count: number): void;
  confirmed(count: number): void;
}

const silent: CourierMetrics = { published() {}, confirmed() {} };
const stopMs = 5_000;

export function rabbitCourier(options: RabbitCourierOptions): Courier {
  const { url, name, clock, log, metrics = silent, confirmWithinMs = 30_000, answerWithinMs = 10_000 } = options;
  const { deadLetters = documentDeadLetters } = options;
  const queues = new Set(options.queues);
  const aside = setAside(clock);
  const underWay = new Set<Promise<unknown>>();
  let stopping: Promise<void> | null = null;

  const link = rabbitLink({
    ...{ url, name, clock, log, answerMs: answerWithinMs, topology: topology(queues, deadLetters, options.serial) },
  });

  async function deliver(queue: string, bodies: readonly string[]): Promise<readonly boolean[]> {
    const ways = bodies.map((body) => aside.wayOf(queue, body));
    const fates = bodies.map((): Fate => "refused");

    async function carry(which: (nth: number) => boolean, by: typeof send): Promise<void> {
      const some = [...fates.keys()].filter(which);
      if (some.length === 0) return;
      const became = await by(
        queue,
        some.map((nth) => bodies[nth] as string),
      );
      for (const [at, nth] of some.entries()) fates[nth] = became[at] as Fate;
    }

    await carry((nth) => ways[nth] === "together", send);
    await carry((nth) => fates[nth] === "returned", sendHome);
    // The channel ended under some of these, and one of them may be the reason.
    await carry((nth) => fates[nth] === "cut" || ways[nth] === "alone", sendAlone);
    const answers = fates.map((fate) => fate === "confirmed");
    metrics.confirmed(answers.filter(Boolean).length);
    return answers;
  }

  async function send(queue: string, bodies: readonly string[]): Promise<readonly Fate[]> {
    const channel = await link.sending();
    if (channel === null) return bodies.map(() => "refused");
    metrics.published(bodies.length);
    return heard(await channel.send(queue, bodies, confirmWithinMs));
  }

  async function sendHome(queue: string, bodies: readonly string[]): Promise<readonly Fate[]> {
    const isThere = await link.declare(queue).catch(() => false);
    return isThere ? send(queue, bodies) : bodies.map(() => "refused");
  }

  async function sendAlone(queue: string, bodies: readonly string[]): Promise<readonly Fate[]> {
    metrics.published(bodies.length);
    return heard(await oneByOne({ link, aside, log, confirmWithinMs }, queue, bodies));
  }

  function heard(fates: readonly Fate[]): readonly Fate[] {
    if (fates.includes("unheard")) link.renew(`no answer within ${confirmWithinMs} ms`);
    return fates;
  }

  async function look(queue: string): Promise<QueueLook | null> {
    try {
      const found = await link.ask(queueWords(queue), (channel) => channel.queueDeclare({ queue, passive: true }));
      return { waiting: found.messageCount, consumers: found.consumerCount };
    } catch (error) {
      if (codeOf(error) !== "NOT_FOUND") return null;
      return (await link.declare(queue).catch(() => false)) ? { waiting: 0, consumers: 0 } : null;
    }
  }

  const mayLook = (queue: string) => stopping === null && link.isUp() && link.isThere(queue);
  const mayAsk = (queue: string) => queues.has(queue) && mayLook(queue);

  return {
    async start() {
      link.start();
    },
    isUp: () => stopping === null && link.isUp(),
    onUp: link.onUp,
    async publish(queue, bodies) {
      if (!mayAsk(queue)) return bodies.map(() => false);
      const delivery = deliver(queue, bodies);
      underWay.add(delivery);
      return delivery.finally(() => underWay.delete(delivery));
    },
    awaySince: link.awaySince,
    isSetAside: (queue, body) => aside.wayOf(queue, body) !== "together",
    depth: async (queue) => (mayAsk(queue) ? ((await look(queue))?.waiting ?? null) : null),
    look: async (queue) => (mayAsk(queue) || (queue === deadLetters.queue && mayLook(queue)) ? look(queue) : null),
    stop() {
      stopping ??= inTime(clock, stopMs, Promise.all(underWay))
        .catch(() => {})
        .then(link.stop);
      return stopping;
    },
  };
}
