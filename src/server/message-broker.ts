// The way to RabbitMQ, by the settings. Its client is loaded only where there is a broker.

import { hostname } from "node:os";
import type { Clock } from "../ports/clock.ts";
import type { Courier } from "../ports/courier.ts";
import type { Log } from "../ports/log.ts";
import { type DeadLetters, serialIn, topology } from "../protocol/amqp/topology.ts";
import type { RabbitLook } from "../transports/amqp/rabbit-look.ts";
import type { LifeLine } from "./life-line.ts";
import { maskSecret } from "./mask.ts";
import type { Config } from "./settings/settings.ts";
import type { ServerTelemetry } from "./telemetry.ts";

export interface CourierParts {
  readonly config: Config;
  /** The machine's, as the broker lives by. */
  readonly clock: Clock;
  readonly log: Log;
  readonly telemetry: Pick<ServerTelemetry, "amqp">;
  readonly life: LifeLine;
}

/**
 * Looks for the broker from now on; null where none is configured. Without it there is everything but its consumers, so
 * nothing waits for it.
 */
export async function startCourier({ config, clock, log, telemetry, life }: CourierParts): Promise<Courier | null> {
  const { amqpUrl: url, amqpQueues } = config;
  if (url === null) return null;
  const { rabbitCourier } = await import("../transports/amqp/rabbit-courier.ts");
  const courier: Courier = rabbitCourier({
    ...{
      url,
      clock,
      log,
      queues: Object.keys(amqpQueues),
      serial: serialIn(amqpQueues),
      deadLetters: deadLetters(config),
    },
    name: `Leadhand on ${hostname()}:${config.port}`,
    metrics: telemetry.amqp({
      isUp: () => courier.isUp(),
      look: (queue) => courier.look(queue),
      queues: [...Object.keys(amqpQueues), config.amqpDeadLetterQueue],
    }),
  });
  life.add(() => courier.stop());
  await courier.start();
  return courier;
}

/** For the log: where the broker is, without its password; nothing where there is none. */
export function brokerField({ amqpUrl }: Pick<Config, "amqpUrl">): { readonly rabbitmq?: string } {
  return amqpUrl === null ? {} : { rabbitmq: maskSecret(amqpUrl) };
}

/** What the broker of the settings has of that which a server needs. Nothing is changed. */
export async function lookAtBroker(config: Config, clock: Clock, limitMs: number): Promise<RabbitLook> {
  const { amqpUrl: url, amqpQueues } = config;
  if (url === null) return { reached: false, why: "no broker is configured" };
  const { lookAtRabbit } = await import("../transports/amqp/rabbit-look.ts");
  const wanted = topology(Object.keys(amqpQueues), deadLetters(config), serialIn(amqpQueues));
  return lookAtRabbit({ url, topology: wanted, clock, limitMs });
}

function deadLetters({ amqpDeadLetter, amqpDeadLetterQueue }: Config): DeadLetters {
  return { exchange: amqpDeadLetter, queue: amqpDeadLetterQueue };
}
