// Queues of a test's own on the RabbitMQ that tests have: their names are nobody else's.

import { environmentVariable } from "../src/server/config.ts";
import { systemClock, systemIds } from "../src/server/system.ts";

export const amqpUrl = environmentVariable("LEADHAND_TEST_AMQP_URL");

/** The option of a test that needs RabbitMQ. */
export const withRabbitmq = { skip: amqpUrl === undefined && "LEADHAND_TEST_AMQP_URL is not set" };

/** A name that no other test uses, nor this one in another run. */
export function queueName(about = "test"): string {
  return `${about}.${systemIds(systemClock()).next()}`;
}
