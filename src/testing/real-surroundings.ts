// The real clock, ids and chance, for tests against real servers, and where such a server is.

import { environmentVariable } from "../server/config.ts";
import { systemClock, systemIds, systemRandom } from "../server/system.ts";

export function realSurroundings() {
  const clock = systemClock();
  return { clock, ids: systemIds(clock), random: systemRandom() };
}

/** A PostgreSQL that tests may use as they like; undefined where there is none. */
export function testDatabaseUrl(): string | undefined {
  return environmentVariable("LEADHAND_TEST_DATABASE_URL");
}

/** A RabbitMQ that tests may use as they like; undefined where there is none. */
export function testBrokerUrl(): string | undefined {
  return environmentVariable("LEADHAND_TEST_AMQP_URL");
}
