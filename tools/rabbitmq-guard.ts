// Started beside a private RabbitMQ. Its standard input is a pipe from the owner: when that ends, so has the owner.

import { type RabbitmqControl, removeRabbitmq } from "./rabbitmq.ts";

const control = JSON.parse(process.argv[2] ?? "") as RabbitmqControl;

process.stdin.resume();
process.stdin.once("close", () => removeRabbitmq(control));
