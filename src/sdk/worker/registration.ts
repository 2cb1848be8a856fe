// A worker and its jobs, made known to the server. Jobs that are missing are created; one that is there with another
// schema is never overwritten.

import type { JobDefinition, JsonSchema } from "../job.ts";
import { jobPath } from "../job-path.ts";
import { type JobSchemas, treatmentOf } from "../job-spec.ts";
import { ServerProblem } from "../problem.ts";
import type { SteadyApi } from "../steady-api.ts";
import type { WorkerLog, WorkerOptions } from "./options.ts";
import { machineWords, putFirstTaken } from "./spec-words.ts";

export interface RegistrationParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
}

/** For the goodbye of a worker that did not come about. */
const tries = 3;

export async function register(
  { api, log, signal }: RegistrationParts,
  words: Pick<WorkerOptions, "name" | "queues" | "labels" | "concurrency">,
  jobs: readonly JobDefinition[],
  profile?: "amqp",
): Promise<{ readonly id: string }> {
  const body = { ...words, ...machineWords(), ...(profile && { profile }) };
  const { body: worker } = await api.request<{ readonly id: string }>("POST", "/workers", { body, signal });
  try {
    for (const job of jobs) await registerJob({ api, log, signal }, worker.id, job);
  } catch (error) {
    // Otherwise it would seem to be there, and to serve some of its jobs, until its silence is noticed.
    await api.request("DELETE", `/workers/${worker.id}`, { tries }).catch(() => {});
    throw error;
  }
  return worker;
}

async function registerJob(parts: RegistrationParts, worker: string, job: JobDefinition): Promise<void> {
  await putFirstTaken(
    job,
    (schemas) => put(parts, worker, job, schemas),
    ({ message: why }) =>
      parts.log.warn("the server checks less of this job's payloads than the worker", { job: job.name, why }),
  );
}

async function put(parts: RegistrationParts, worker: string, job: JobDefinition, schemas: JobSchemas): Promise<void> {
  const { room, category, name } = jobPath(job.name);
  const body = { category, name, ...schemas, ...treatmentOf(job), worker_id: worker };
  try {
    await parts.api.request("PUT", `/rooms/${encodeURIComponent(room)}/jobs`, { body, signal: parts.signal });
  } catch (error) {
    const isConflict = error instanceof ServerProblem && error.code === "schema-conflict";
    throw isConflict ? await conflict(parts, job, schemas, error) : error;
  }
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
