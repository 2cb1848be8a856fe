// Runs a command with a real RabbitMQ: `node tools/node.mjs tools/with-rabbitmq.ts -- <command …>`. Where PostgreSQL is
// wanted too, the command may be `node tools/node.mjs tools/with-postgres.ts -- …`.
//
// The command finds LEADHAND_TEST_AMQP_URL and, when the node is private and may be broken at will,
// LEADHAND_TEST_AMQP_CTL (see `RabbitmqControl`) in its environment.

import { NoRabbitmq } from "./rabbitmq.ts";
import { testBroker } from "./test-broker.ts";
import { withService } from "./with-service.ts";

process.exitCode = await withService(process.argv.slice(2), {
  tool: "tools/with-rabbitmq.ts",
  start: testBroker,
  isMissing: (error) => error instanceof NoRabbitmq,
});
