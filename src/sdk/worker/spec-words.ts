// A job as the server is told of it, whatever the link.

import { hostname, platform, release } from "node:os";
import type { JobDefinition, JsonSchema } from "../job.ts";
import { jsonSchemaOf, withoutPatterns } from "../json-schema.ts";
import { ServerProblem } from "../problem.ts";
import { isStandardSchema } from "../validate.ts";

export interface Schemas {
  readonly schema: JsonSchema;
  readonly output?: JsonSchema;
}

/** What to ask for, and what to be content with. A raw JSON Schema is the author's own word, and taken by it. */
export function schemasOf({ options: { input, output } }: JobDefinition): [Schemas, ...Schemas[]] {
  const schema = jsonSchemaOf(input, "input");
  const said = output === undefined ? {} : jsonSchemaOf(output, "output");
  const whole = { schema, ...(Object.keys(said).length > 0 && { output: said }) };
  const isRaw = [input, output].every((each) => each === undefined || !isStandardSchema(each));
  if (isRaw) return [whole];
  return [
    whole,
    { schema: withoutPatterns(schema), ...(whole.output && { output: withoutPatterns(said) }) },
    { schema: {} },
  ];
}

/** All of it that does not name the job. */
export function specBody({ options: { retry, timeoutMs, queue } }: JobDefinition, schemas: Schemas): object {
  const policy = {
    // Whatever the link, a task of a worker that was lost is for another one.
    onWorkerLost: "requeue",
    ...(retry !== undefined && { retry }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
  return { ...schemas, policy, ...(queue !== undefined && { queue }) };
}

/**
 * Puts the first of these schemas that the server takes, and answers it. What a library made of the author's schema may
 * be more than the server takes; the worker checks it anyway.
 */
export async function putFirstTaken(
  job: JobDefinition,
  put: (schemas: Schemas) => Promise<void>,
  onLess: (refusal: ServerProblem) => void,
): Promise<Schemas> {
  const schemas = schemasOf(job);
  for (const [index, each] of schemas.entries()) {
    try {
      await put(each);
      return each;
    } catch (error) {
      if (!(error instanceof ServerProblem)) throw error;
      if (error.status !== 422 || index === schemas.length - 1) throw inWords(job, error);
      if (index === 0) onLess(error);
    }
  }
  throw new TypeError(`Job '${job.name}' has no schema`);
}

function inWords({ name }: JobDefinition, error: ServerProblem): ServerProblem {
  // Whoever knows more about it has said so.
  if (error.status === 409 || error.status === 401) return error;
  const fields = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
  const detail = `Job '${name}' was not registered: ${error.message}${fields === "" ? "" : ` (${fields})`}`;
  const document = { type: error.code, title: error.message, status: error.status, detail, errors: error.errors };
  return new ServerProblem(document, error.retryAfterMs);
}

/** Where the worker runs. */
export function machineWords(): { readonly hostname: string; readonly os: string } {
  return { hostname: hostname().slice(0, 255), os: `${platform()} ${release()}`.slice(0, 255) };
}
