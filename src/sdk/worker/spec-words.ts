// A job as the server is told of it, whatever the link.

import { hostname, platform, release } from "node:os";
import type { JobDefinition } from "../job.ts";
import { type JobSchemas, schemasOf } from "../job-spec.ts";
import { withoutPatterns } from "../json-schema.ts";
import { ServerProblem } from "../problem.ts";
import { sdkVersion } from "../sdk-version.ts";
import { isStandardSchema } from "../validate.ts";

/** What to ask for, and what to be content with. A raw JSON Schema is the author's own word, and taken by it. */
export function schemasToAskFor(job: JobDefinition): [JobSchemas, ...JobSchemas[]] {
  const { input, output } = job.options;
  const whole = schemasOf(job);
  const isRaw = [input, output].every((each) => each === undefined || !isStandardSchema(each));
  if (isRaw) return [whole];
  return [
    whole,
    { schema: withoutPatterns(whole.schema), ...(whole.output && { output: withoutPatterns(whole.output) }) },
    { schema: {} },
  ];
}

/**
 * Puts the first of these schemas that the server takes, and answers it. What a library made of the author's schema may
 * be more than the server takes; the worker checks it anyway.
 */
export async function putFirstTaken(
  job: JobDefinition,
  put: (schemas: JobSchemas) => Promise<void>,
  onLess: (refusal: ServerProblem) => void,
): Promise<JobSchemas> {
  const schemas = schemasToAskFor(job);
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

/** Where the worker runs, and what it is. */
export function machineWords(): { readonly hostname: string; readonly os: string; readonly version: string } {
  return {
    hostname: hostname().slice(0, 255),
    os: `${platform()} ${release()}`.slice(0, 255),
    version: `leadhand ${sdkVersion()}`,
  };
}
