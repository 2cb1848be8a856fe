// The document's operations as jobs: `ping` is `@global:operations:ping`. A full name of a job stands for itself.

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

export function withPing(jobs: readonly JobDefinition[]): readonly JobDefinition[] {
  return jobs.some(({ name }) => name === ping.name) ? jobs : [...jobs, ping];
}
