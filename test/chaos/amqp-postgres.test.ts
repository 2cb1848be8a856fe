// Consumers behind RabbitMQ, a server on PostgreSQL, and every fault once. `npm run chaos:amqp` is the same in full.

import { after, test } from "node:test";
import { amqpRun } from "./amqp/run.ts";
import { whereRabbitmqIs } from "./amqp/where-rabbitmq-is.ts";
import { newSeed } from "./chance.ts";
import { privatePostgres } from "./private-postgres.ts";

const own = await privatePostgres();
after(() => own?.postgres.stop());
const options = own === undefined ? { skip: "there is no PostgreSQL" } : whereRabbitmqIs;

test(
  "whatever the broker loses, doubles or delays, each task has one end and each counter is exact",
  options,
  async (t) => {
    await amqpRun(t, { databaseUrl: own?.postgres.url ?? "", rounds: 1, minute: false, how: "down", seed: newSeed() });
  },
);
