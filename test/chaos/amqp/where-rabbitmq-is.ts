import { findRabbitmq } from "../../../tools/rabbitmq-programs.ts";

/** Options of a test that starts a RabbitMQ of its own, which a busy machine takes its time for. */
export const whereRabbitmqIs = { timeout: 240_000, skip: findRabbitmq() === undefined && "there is no RabbitMQ" };
