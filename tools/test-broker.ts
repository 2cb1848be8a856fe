// The broker tests run against: the one they were given, or a private one.

import { startRabbitmq } from "./rabbitmq.ts";

export type TestBroker = {
  /** What programs under test find in their environment. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
};

export async function testBroker(): Promise<TestBroker> {
  if (process.env["LEADHAND_TEST_AMQP_URL"]) return { environment: {}, stop: async () => undefined };
  const rabbitmq = await startRabbitmq();
  return {
    environment: {
      LEADHAND_TEST_AMQP_URL: rabbitmq.url,
      LEADHAND_TEST_AMQP_CTL: JSON.stringify(rabbitmq.control),
    },
    stop: () => rabbitmq.stop(),
  };
}
