// What the way to RabbitMQ counts, and how full its queues are. There only where a server has one: a zero would say that it
// is down.

import { Gauge, type Registry } from "prom-client";
import type { Clock } from "../ports/clock.ts";
import type { Courier, QueueLook } from "../ports/courier.ts";
import { inTime } from "../transports/amqp/in-time.ts";
import type { CourierMetrics } from "../transports/amqp/rabbit-courier.ts";
import { tally } from "./tally.ts";

export interface BrokerAbout extends Pick<Courier, "isUp" | "look"> {
  /** Those that are shown. */
  readonly queues: readonly string[];
}

/** A queue that does not answer is left out, and keeps nobody who scrapes. */
const lookWithinMs = 1_000;

export function amqpMetrics(about: BrokerAbout, clock: Clock, registers: Registry[]): CourierMetrics {
  new Gauge({
    name: "leadhand_amqp_up",
    help: "Whether RabbitMQ can be used now: 1 or 0.",
    registers,
    collect() {
      this.set(about.isUp() ? 1 : 0);
    },
  });
  queueGauges(about, clock, registers);
  const steps = ["published", "confirmed"] as const;
  const messages = tally("leadhand_amqp_messages_total", "Messages to RabbitMQ.", "step", steps, registers);
  return {
    published: (count) => messages("published", count),
    confirmed: (count) => messages("confirmed", count),
  };
}

function queueGauges({ queues, look }: BrokerAbout, clock: Clock, registers: Registry[]): void {
  let looking: Promise<ReadonlyMap<string, QueueLook>> | null = null;

  async function lookAtAll(): Promise<ReadonlyMap<string, QueueLook>> {
    const found = new Map<string, QueueLook>();
    const asked = queues.map(async (queue) => {
      const said = await look(queue);
      if (said !== null) found.set(queue, said);
    });
    await inTime(clock, lookWithinMs, Promise.all(asked)).catch(() => {});
    return found;
  }

  /** Once for both gauges. */
  function looked(): Promise<ReadonlyMap<string, QueueLook>> {
    looking ??= lookAtAll().finally(() => {
      looking = null;
    });
    return looking;
  }

  const gauge = (name: string, help: string, key: keyof QueueLook) =>
    new Gauge({
      ...{ name, help, labelNames: ["queue"], registers },
      async collect() {
        const found = await looked();
        this.reset();
        for (const [queue, said] of found) this.set({ queue }, said[key]);
      },
    });
  gauge("leadhand_amqp_queue_messages", "Messages that wait in a queue of RabbitMQ.", "waiting");
  gauge("leadhand_amqp_queue_consumers", "Consumers of a queue of RabbitMQ.", "consumers");
}
