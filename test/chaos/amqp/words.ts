// What tasks and messages ask for, and what consumers of the fault run say.

import type { AckMode } from "../../../src/sdk/worker/amqp/task-loop.ts";

/** One queue for usual tasks; two for long ones, by when their messages are acknowledged; two steps of operations. */
export const queues = {
  jobs: "chaos.jobs",
  long: "chaos.long",
  kept: "chaos.kept",
  batch: "chaos.batch",
  write: "chaos.write",
} as const;
export type QueueName = keyof typeof queues;

export const queueMap = {
  [queues.jobs]: "job",
  [queues.long]: "job",
  [queues.kept]: "job",
  [queues.batch]: "operation",
  [queues.write]: "operation",
} as const;

export const deadLetterQueue = "protea.dead-letter";

/** What one task of `work` does. */
export interface Work {
  readonly mark: string;
  readonly fail?: boolean;
  readonly ms?: number;
  /** Before then it wants to be tried later. */
  readonly notBefore?: number;
}

/** What one message of a coordinator does, at the step where it is to happen. */
export interface Part extends Work {
  readonly nth: number;
  readonly failAt?: "batch" | "write";
}

/** What a coordinator, a task of `spread`, sends. */
export interface Spread {
  readonly mark: string;
  readonly parts: readonly Part[];
}

/** What a consumer is started with. */
export interface Orders {
  readonly name: string;
  readonly queue: string;
  readonly kind: "job" | "operation";
  readonly ackMode: AckMode;
  readonly concurrency: number;
  readonly url: string;
  readonly token: string;
  readonly amqpUrl: string;
}

/** One line of its standard output: an operation has begun, of this task or parent, with this mark. */
export interface Said {
  readonly ran: "work" | "spread" | "batch" | "write";
  readonly id: string;
  readonly mark: string;
  readonly nth?: number;
}
