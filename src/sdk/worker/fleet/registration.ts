// A worker of the fleet and its function blocks, made known to the server.

import { blockName, blockOf } from "../../../core/block.ts";
import type { JobDefinition } from "../../job.ts";
import { type JobSchemas, treatmentOf } from "../../job-spec.ts";
import { ServerProblem } from "../../problem.ts";
import type { SteadyApi } from "../../steady-api.ts";
import type { WorkerLog, WorkerOptions } from "../options.ts";
import { machineWords, schemasToAskFor } from "../spec-words.ts";

export interface FleetRegistrationParts {
  readonly root: SteadyApi;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
}

interface Taken {
  readonly rejected: readonly { readonly id: string; readonly reason: string }[];
}

/** For the goodbye of a worker that did not come about. */
const tries = 3;

export async function registerFleet(
  parts: FleetRegistrationParts,
  words: Pick<WorkerOptions, "name" | "queues" | "labels" | "concurrency">,
  jobs: readonly JobDefinition[],
): Promise<{ readonly id: string; readonly beatMs: number }> {
  const { root, signal } = parts;
  const { version: sdkVersion, ...machine } = machineWords();
  const ask = { body: { ...words, ...machine, sdkVersion, commands: true }, signal };
  const { body: worker } = await root.request<{ uuid: string; heartbeatIntervalMs: number }>(
    "POST",
    "/workers/register",
    ask,
  );
  try {
    for (const job of jobs) await registerBlock(parts, worker.uuid, job);
  } catch (error) {
    // Otherwise it would seem to be there, and to serve some of its blocks, until its silence is noticed.
    await root.request("DELETE", `/workers/${worker.uuid}`, { tries }).catch(() => {});
    throw error;
  }
  return { id: worker.uuid, beatMs: worker.heartbeatIntervalMs };
}

/** What a library made of the author's schema may be more than the server takes; the worker checks it anyway. */
async function registerBlock({ root, log, signal }: FleetRegistrationParts, worker: string, job: JobDefinition) {
  let refusal: string | null = null;
  for (const schemas of schemasToAskFor(job)) {
    const body = { workerUuid: worker, functionBlocks: [blockWords(job, schemas)] };
    const { body: taken } = await root.request<Taken>("POST", "/function-blocks/register", { body, signal });
    const [rejected] = taken.rejected;
    if (rejected === undefined) {
      const said = { job: job.name, why: refusal };
      if (refusal !== null) log.warn("the server checks less of this job's payloads than the worker", said);
      return;
    }
    refusal ??= rejected.reason;
  }
  const detail = `Function block '${job.name}' was rejected: ${refusal}`;
  throw new ServerProblem({ type: "schema-conflict", title: "Conflict", status: 409, detail });
}

function blockWords(job: JobDefinition, { schema, output }: JobSchemas) {
  const { policy, queue } = treatmentOf(job);
  return {
    ...{ ...blockName(blockOf(job.name) ?? ""), isPure: false, isIdempotent: false, policy },
    ...{ parameterJsonSchema: schema, resultDataJsonSchema: output ?? null, ...(queue && { queue }) },
  };
}

/** Throws unless the job is a function block. */
export function checkBlock(name: string): void {
  const { package: owner, name: last, version } = blockName(blockOf(name) ?? "");
  if (owner !== "" && last !== "" && version !== "") return;
  throw new TypeError(
    `'${name}' is no function block: over the link "fleet" a job is named @global:blocks:package/name:version`,
  );
}
