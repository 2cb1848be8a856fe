// The jobs of a worker as it announces them on `/work`: by their names and the checksums of their schemas. What is missing
// at the server is created before; what is there is never overwritten, and a worker that does another thing under the
// same name is not given its tasks.

import { type Json, specChecksum } from "../../../core/checksum.ts";
import type { JobDefinition } from "../../job.ts";
import { jobPath } from "../../job-path.ts";
import { type JobSchemas, treatmentOf } from "../../job-spec.ts";
import { ServerProblem } from "../../problem.ts";
import type { SteadyApi } from "../../steady-api.ts";
import type { WorkerLog } from "../options.ts";
import { putFirstTaken, schemasToAskFor } from "../spec-words.ts";

export interface Verdict {
  readonly id: string;
  readonly accepted: boolean;
  readonly reason?: string;
  readonly checksum?: string;
}

export interface Announcement {
  specs(): readonly { readonly id: string; readonly checksum: string }[];
  /** Creates what is missing at the server; throws what cannot be mended by waiting. */
  create(ids?: readonly string[]): Promise<void>;
  /** What the server thinks of them. `announce`: say it again, in other words; `create`: these are not there any more. */
  heard(verdicts: readonly Verdict[]): { readonly announce: boolean; readonly create: readonly string[] };
}

export interface AnnouncementParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  readonly signal: AbortSignal;
  readonly register: "missing" | "never";
}

const atOnce = 8;

export function announcement(parts: AnnouncementParts, jobs: readonly JobDefinition[]): Announcement {
  const { log } = parts;
  const byName = new Map(jobs.map((job) => [job.name, job]));
  /** Every checksum under which the server may know it, by what it takes of the author's schema. */
  const known = new Map(jobs.map((job) => [job.name, schemasToAskFor(job).map(checksumOf)]));
  const said = new Map(jobs.map(({ name }) => [name, known.get(name)?.[0] ?? ""]));
  const refusedFor = new Map<string, string>();

  async function createOne(job: JobDefinition): Promise<void> {
    const taken = await createSpec(parts, job);
    said.set(job.name, checksumOf(taken));
  }

  /** Said once, until it changes. */
  function judge({ id, accepted, reason = "unknown" }: Verdict): void {
    const before = refusedFor.get(id);
    if (accepted) {
      refusedFor.delete(id);
      if (before !== undefined) log.info("the server gives this worker tasks of the job again", { job: id });
      return;
    }
    refusedFor.set(id, reason);
    if (before !== reason) log.warn("THE SERVER GIVES THIS WORKER NO TASKS OF A JOB", { job: id, why: why(reason) });
  }

  return {
    specs: () => [...said].map(([id, checksum]) => ({ id, checksum })),
    async create(ids = [...byName.keys()]) {
      if (parts.register === "never") return;
      const wanted = ids.flatMap((id) => byName.get(id) ?? []);
      for (let from = 0; from < wanted.length; from += atOnce) {
        await Promise.all(wanted.slice(from, from + atOnce).map(createOne));
      }
    },
    heard(verdicts) {
      let announce = false;
      const create: string[] = [];
      for (const verdict of verdicts) {
        const { id, checksum = "", accepted, reason = "" } = verdict;
        // Another worker of these jobs may have had less of a schema taken.
        if (!accepted && known.get(id)?.includes(checksum) === true && said.get(id) !== checksum) {
          said.set(id, checksum);
          announce = true;
          continue;
        }
        const isGone = !accepted && ["unknown", "deleted"].includes(reason) && parts.register === "missing";
        if (isGone && refusedFor.get(id) !== reason) create.push(id);
        judge(verdict);
      }
      return { announce, create };
    },
  };
}

function checksumOf({ schema, output }: JobSchemas): string {
  return specChecksum({ schema: schema as Json, output: output as Json | undefined });
}

async function createSpec({ api, log, signal }: AnnouncementParts, job: JobDefinition): Promise<JobSchemas> {
  const { room, url } = jobPath(job.name);
  return putFirstTaken(
    job,
    async (schemas) => {
      const headers = { "if-none-match": "*" };
      try {
        const body = { ...schemas, ...treatmentOf(job) };
        await api.request("PUT", `/specs/${url}`, { body, headers, signal });
      } catch (error) {
        if (!(error instanceof ServerProblem)) throw error;
        if (error.status === 412) return;
        if (error.status !== 403) throw error;
        // Who may not create it may still do it, where it is there.
        await api.request("GET", `/rooms/${encodeURIComponent(room)}/jobs/${url}`, { signal }).catch((missing) => {
          throw missing instanceof ServerProblem && missing.status === 404 ? error : missing;
        });
      }
    },
    ({ message: why }) =>
      log.warn("the server checks less of this job's payloads than the worker", { job: job.name, why }),
  );
}

function why(reason: string): string {
  switch (reason) {
    case "checksum":
      return "it is registered with another schema; deploy one or the other, and the worker need not be restarted";
    case "unknown":
      return "it is not registered: `leadhand specs push` does so";
    case "deleted":
      return "it was deleted";
    case "push":
      return "it is a push job, which the server sends out itself";
    case "internal":
      return "it runs inside the server";
    case "forbidden":
      return "the token does not allow it";
    default:
      return reason;
  }
}
