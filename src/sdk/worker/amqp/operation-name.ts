// The document's operations as jobs: `ping` is `@global:operations:ping`. A full name of a job stands for itself.

import type { QueueMap } from "../../../protocol/amqp/topology.ts";
import type { JobDefinition } from "../../job.ts";

const prefix = "@global:operations:";

export function operationJob(operation: string): string {
  return operation.split(":").length > 2 ? operation : `${prefix}${operation}`;
}

/** Of every consumer, so that one can see that messages come through. */
export const ping: JobDefinition = {
  name: `${prefix}ping`,
  options: {},
  handler(task) {
    task.emit("ping.pong", "pong");
    return { ok: true };
  },
};

/** Where its tasks go unless somebody says otherwise, where the broker carries that queue. */
export const pingQueue = "protea.ping";

/** One that an author wrote is taken for it, and so is one that another copy of this package made. */
export function withPing(jobs: readonly JobDefinition[], queues: QueueMap): readonly JobDefinition[] {
  const all = jobs.some(({ name }) => name === ping.name) ? jobs : [...jobs, ping];
  if (queues[pingQueue] === undefined || queues[pingQueue] === "operation") return all;
  return all.map((job) => (job.name === ping.name ? { ...job, options: { queue: pingQueue, ...job.options } } : job));
}
