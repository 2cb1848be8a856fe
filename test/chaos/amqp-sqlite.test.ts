// Consumers behind RabbitMQ, a server on SQLite, and every fault once. `npm run chaos:amqp` is the same in full.

import { test } from "node:test";
import { amqpRun } from "./amqp/run.ts";
import { whereRabbitmqIs } from "./amqp/where-rabbitmq-is.ts";
import { newSeed } from "./chance.ts";

test(
  "whatever the broker loses, doubles or delays, each task has one end and each counter is exact",
  whereRabbitmqIs,
  async (t) => {
    await amqpRun(t, { rounds: 1, minute: false, how: "kill", seed: newSeed() });
  },
);
