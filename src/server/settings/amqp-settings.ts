// RabbitMQ: where it is, what it carries, and how patient those are who live by it.

import { documentPatience } from "../../core/patience.ts";
import { documentDeadLetters, documentQueues, isQueueMap } from "../../protocol/amqp/topology.ts";
import { bytes, duration, integer, json, text, url } from "./kinds.ts";

const second = 1_000;
const mebibyte = 2 ** 20;

export const amqpSettings = {
  amqpUrl: url({
    env: "LEADHAND_AMQP_URL",
    default: null,
    protocols: ["amqp:", "amqps:"],
    secret: true,
    help: "RabbitMQ, whose consumers hear of tasks by messages; without it that door is closed",
  }),
  amqpQueues: json({
    env: "LEADHAND_AMQP_QUEUES",
    default: documentQueues,
    check: isQueueMap,
    allowed: 'a JSON object from queue to use, "job", "serial" or "operation": {"gpu":"job"}',
    help: "queues that RabbitMQ carries, and what their messages are: ids of tasks (job), of tasks that run one at a time (serial), or operations",
  }),
  amqpDeadLetter: text({
    env: "LEADHAND_AMQP_DEAD_LETTER",
    default: documentDeadLetters.exchange,
    help: "exchange of RabbitMQ to which messages go that nobody can read, and operations that have failed",
  }),
  amqpDeadLetterQueue: text({
    env: "LEADHAND_AMQP_DEAD_LETTER_QUEUE",
    default: documentDeadLetters.queue,
    help: "queue that keeps them, until a person looks",
  }),
  amqpUnconsumedMax: integer({
    env: "LEADHAND_AMQP_UNCONSUMED_MAX",
    default: 10_000,
    min: 1,
    max: 1_000_000,
    help: "messages that may wait in one queue of RabbitMQ; the other tasks wait in the database",
  }),
  amqpMessageBytesMax: bytes({
    env: "LEADHAND_AMQP_MESSAGE_BYTES_MAX",
    default: 16 * mebibyte,
    min: 1_024,
    max: 512 * mebibyte,
    help: "the largest message of an operation; not more than `max_message_size` of RabbitMQ, which does not tell it",
  }),
  shutdownGraceMs: duration({
    env: "LEADHAND_WORKER_SHUTDOWN_GRACE_SECONDS",
    default: 30 * second,
    min: 0,
    help: "workers: time for tasks in hand after a signal to stop",
  }),
  transientAttempts: integer({
    env: "LEADHAND_TRANSIENT_RETRY_ATTEMPTS",
    default: documentPatience.transient.attempts,
    min: 1,
    max: 100,
    help: "consumers: tries after deadlocks, lost connections and timeouts",
  }),
  transientBaseMs: duration({
    env: "LEADHAND_TRANSIENT_RETRY_BASE_SECONDS",
    default: documentPatience.transient.baseMs,
    help: "consumers: wait before the second try; doubles with each, give or take 30 %",
  }),
  transientCapMs: duration({
    env: "LEADHAND_TRANSIENT_RETRY_CAP_SECONDS",
    default: documentPatience.transient.capMs,
    help: "consumers: the longest of these waits",
  }),
  retryLaterCapMs: duration({
    env: "LEADHAND_RETRY_LATER_CAP_SECONDS",
    default: documentPatience.retryLaterCapMs,
    help: "consumers: the longest delay of a task that asked to be tried later",
  }),
  publisherAttempts: integer({
    env: "LEADHAND_PUBLISHER_ATTEMPTS",
    default: documentPatience.publish.attempts,
    min: 1,
    max: 100,
    help: "consumers: tries to hand a message on, before the one in hand goes back; servers try without end",
  }),
  publisherCapMs: duration({
    env: "LEADHAND_PUBLISHER_CAP_SECONDS",
    default: documentPatience.publish.capMs,
    help: "the longest wait between tries to publish what the broker refuses; the first is 1 s, each doubles",
  }),
  consumerReconnectMs: duration({
    env: "LEADHAND_CONSUMER_RECONNECT_SECONDS",
    default: documentPatience.reconnectMs,
    help: "consumers: the longest pause between two looks for a broker that is away",
  }),
  oomAttempts: integer({
    env: "LEADHAND_OOM_RETRY_ATTEMPTS",
    default: documentPatience.outOfMemory.attempts,
    min: 1,
    max: 100,
    help: "consumers: how often an operation is tried again that ran out of memory",
  }),
  oomBaseMs: duration({
    env: "LEADHAND_OOM_RETRY_BASE_SECONDS",
    default: documentPatience.outOfMemory.baseMs,
    help: "consumers: wait before its second try; doubles with each",
  }),
  oomCapMs: duration({
    env: "LEADHAND_OOM_RETRY_CAP_SECONDS",
    default: documentPatience.outOfMemory.capMs,
    help: "consumers: the longest of these waits",
  }),
  redeliveryMax: integer({
    env: "LEADHAND_REDELIVERY_MAX",
    default: documentPatience.redeliveryMax,
    min: 1,
    max: 100,
    help: "consumers: how often an operation is delivered whose consumers all end before it does; then it has failed",
  }),
  republishAfterMs: duration({
    env: "LEADHAND_REPUBLISH_STALL_SECONDS",
    default: 600 * second,
    help: "a task of a broker's queue that has waited so long without an event is published again",
  }),
  republishMax: integer({
    env: "LEADHAND_REPUBLISH_MAX",
    default: 5,
    min: 0,
    max: 1_000,
    help: "how often; then once an hour, with a warning",
  }),
};
