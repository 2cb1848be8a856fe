// What the way to RabbitMQ counts. There only where a server has one: a zero would say that it is down.

import { Gauge, type Registry } from "prom-client";
import type { CourierMetrics } from "../transports/amqp/rabbit-courier.ts";
import { tally } from "./tally.ts";

export function amqpMetrics(isUp: () => boolean, registers: Registry[]): CourierMetrics {
  new Gauge({
    name: "leadhand_amqp_up",
    help: "Whether RabbitMQ can be used now: 1 or 0.",
    registers,
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
  const steps = ["published", "confirmed"] as const;
  const messages = tally("leadhand_amqp_messages_total", "Messages to RabbitMQ.", "step", steps, registers);
  return {
    published: (count) => messages("published", count),
    confirmed: (count) => messages("confirmed", count),
  };
}
