// What a worker says of a job when it registers it.

import type { JobDefinition, JsonSchema } from "./job.ts";
import { jsonSchemaOf } from "./json-schema.ts";

export interface JobSchemas {
  readonly schema: JsonSchema;
  readonly output?: JsonSchema;
}

export interface JobSpec extends JobSchemas {
  readonly policy: Readonly<Record<string, unknown>>;
  readonly queue?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export function specOf(job: JobDefinition): JobSpec {
  return { ...schemasOf(job), ...treatmentOf(job) };
}

export function schemasOf({ options: { input, output } }: JobDefinition): JobSchemas {
  const said = output === undefined ? {} : jsonSchemaOf(output, "output");
  return { schema: jsonSchemaOf(input, "input"), ...(Object.keys(said).length > 0 && { output: said }) };
}

/** How its tasks are treated. */
export function treatmentOf({
  options: { retry, timeoutMs, onChildFailure, queue, labels },
}: JobDefinition): Pick<JobSpec, "policy" | "queue" | "labels"> {
  const policy = {
    // Whatever the link, a task of a worker that was lost is for another one.
    onWorkerLost: "requeue",
    ...(retry !== undefined && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(onChildFailure !== undefined && { onChildFailure }),
  };
  return { policy, ...(queue !== undefined && { queue }), ...(labels !== undefined && { labels }) };
}
