// A worker and its jobs, made known to the server. Jobs that are missing are created; one that is there with another
// schema is never overwritten.

import { hostname, platform, release } from "node:os";
import type { JobDefinition, JsonSchema } from "../job.ts";
import { jobPath } from "../job-path.ts";
import { type JobSchemas, schemasOf, treatmentOf } from "../job-spec.ts";
import { withoutPatterns } from "../json-schema.ts";
import { ServerProblem } from "../problem.ts";
import type { SteadyApi } from "../steady-api.ts";
import { isStandardSchema } from "../validate.ts";
import type { WorkerLog, WorkerOptions } from "./options.ts";

export interface RegistrationParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
}

/** For the goodbye of a worker that did not come about. */
const tries = 3;

/** Answers the worker's id. */
export async function register(
  { api, log, signal }: RegistrationParts,
  words: Pick<WorkerOptions, "name" | "queues" | "labels">,
  jobs: readonly JobDefinition[],
): Promise<string> {
  const body = { ...words, hostname: hostname().slice(0, 255), os: `${platform()} ${release()}`.slice(0, 255) };
  const { body: worker } = await api.request<{ readonly id: string }>("POST", "/workers", { body, signal });
  try {
    for (const job of jobs) await registerJob({ api, log, signal }, worker.id, job);
  } catch (error) {
    // Otherwise it would seem to be there, and to serve some of its jobs, until its silence is noticed.
    await api.request("DELETE", `/workers/${worker.id}`, { tries }).catch(() => {});
    throw error;
  }
  return worker.id;
}

async function registerJob(parts: RegistrationParts, worker: string, job: JobDefinition): Promise<void> {
  const [first, ...others] = schemasToAskFor(job);
  try {
    await put(parts, worker, job, first);
  } catch (error) {
    if (!(error instanceof ServerProblem)) throw error;
    if (error.code === "schema-conflict") throw await conflict(parts, job, first, error);
    if (error.status !== 422 || others.length === 0) throw inWords(job, error);
    // What a library made of the author's schema may be more than the server takes. The worker checks it anyway.
    parts.log.warn("the server checks less of this job's payloads than the worker", {
      job: job.name,
      why: error.message,
    });
    await registerLess(parts, worker, job, others);
  }
}

async function registerLess(
  parts: RegistrationParts,
  worker: string,
  job: JobDefinition,
  schemas: readonly JobSchemas[],
): Promise<void> {
  for (const [index, schema] of schemas.entries()) {
    try {
      return await put(parts, worker, job, schema);
    } catch (error) {
      const isLast = index === schemas.length - 1;
      if (error instanceof ServerProblem && error.code === "schema-conflict") {
        throw await conflict(parts, job, schema, error);
      }
      if (isLast || !(error instanceof ServerProblem && error.status === 422)) throw error;
    }
  }
}

/** What to ask for, and what to be content with. A raw JSON Schema is the author's own word, and taken by it. */
function schemasToAskFor(job: JobDefinition): [JobSchemas, ...JobSchemas[]] {
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

async function put({ api, signal }: RegistrationParts, worker: string, job: JobDefinition, schemas: JobSchemas) {
  const { room, category, name } = jobPath(job.name);
  const body = { category, name, ...schemas, ...treatmentOf(job), worker_id: worker };
  await api.request("PUT", `/rooms/${encodeURIComponent(room)}/jobs`, { body, signal });
}

async function conflict(
  { api, signal }: RegistrationParts,
  { name }: JobDefinition,
  mine: JobSchemas,
  error: ServerProblem,
): Promise<ServerProblem> {
  const { room, url } = jobPath(name);
  const path = `/rooms/${encodeURIComponent(room)}/jobs/${url}`;
  const { body } = await api.request<{ schema: JsonSchema; output: JsonSchema | null }>("GET", path, { signal });
  const theirs = { schema: body.schema, ...(body.output !== null && { output: body.output }) };
  const detail =
    `Job '${name}' is registered with another schema. ` +
    `The server has ${JSON.stringify(theirs)}; this worker has ${JSON.stringify(mine)}. ` +
    "Give the job another name, or let its workers end before you change it.";
  return new ServerProblem({ type: error.code, title: "Conflict", status: error.status, detail });
}

function inWords({ name }: JobDefinition, error: ServerProblem): ServerProblem {
  const fields = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join("; ");
  const detail = `Job '${name}' was not registered: ${error.message}${fields === "" ? "" : ` (${fields})`}`;
  const document = { type: error.code, title: error.message, status: error.status, detail, errors: error.errors };
  return new ServerProblem(document, error.retryAfterMs);
}
