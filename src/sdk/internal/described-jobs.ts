// The jobs of a module, as the server is told of them.

import type { InternalJob } from "../../core/internal-job.ts";
import type { Policy } from "../../core/policy.ts";
import type { JobDefinition } from "../job.ts";
import { jsonSchemaOf, withoutPatterns } from "../json-schema.ts";

export function describedJob(job: JobDefinition): InternalJob {
  const { input, output, queue, retry, timeoutMs } = job.options;
  const policy = { ...(retry && { retry }), ...(timeoutMs !== undefined && { timeoutMs }) } as Policy;
  return {
    name: internalName(job.name),
    schema: JSON.stringify(withoutPatterns(jsonSchemaOf(input, "input"))),
    output: output === undefined ? null : JSON.stringify(withoutPatterns(jsonSchemaOf(output, "output"))),
    queue: queue ?? null,
    policy,
  };
}

/** A name without a room is given the one room there is for internal jobs. */
export function internalName(name: string): string {
  const parts = name.split(":");
  if (parts.length === 2) return `@internal:${name}`;
  if (parts.length < 2 || parts[0] !== "@internal") {
    throw new Error(`'${name}' is not a name for an internal job: it is @internal:category:name, or category:name`);
  }
  return name;
}

/** Throws unless the module exports what `job()` made, each under a name of its own. */
export function jobsOf(module: { readonly jobs?: unknown }): ReadonlyMap<string, JobDefinition> {
  const { jobs } = module;
  if (!Array.isArray(jobs) || jobs.length === 0) throw new Error("it does not export `jobs`, a list of jobs");
  const named = new Map<string, JobDefinition>();
  for (const job of jobs as readonly Partial<JobDefinition>[]) {
    if (typeof job?.name !== "string" || typeof job.handler !== "function") {
      throw new Error("`jobs` holds something that is no job: make each with job(name, options, handler)");
    }
    const name = internalName(job.name);
    if (named.has(name)) throw new Error(`it has two jobs called '${name}'`);
    named.set(name, { options: {}, ...job } as JobDefinition);
  }
  return named;
}
