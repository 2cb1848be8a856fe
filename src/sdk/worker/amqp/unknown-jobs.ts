// Tasks of this worker's queue whose job it does not know. An operation that nobody who takes tasks of the queue has registered
// fails, as the document has it, and does not wait for ever. Whoever takes those of other queues alone could never have it,
// whatever he has registered.

import { Fail, RetryLater } from "../../ending.ts";
import { wordsOf } from "../../failure.ts";
import type { JobDefinition, JsonSchema } from "../../job.ts";
import { jobPath } from "../../job-path.ts";
import type { SteadyApi, SteadyAsk } from "../../steady-api.ts";
import type { ClaimedTask } from "../claimed-task.ts";
import type { WorkerLog } from "../options.ts";
import { colleagues, takesTasks } from "./colleagues.ts";

export interface UnknownJobs {
  /**
   * Whether the worker takes on what it does not know, to say so. What a colleague has registered waits for that one, and so
   * do jobs that are no operations.
   */
  adopt(task: ClaimedTask, worker: string, signal: AbortSignal): Promise<boolean>;
  /** Fails, unless a colleague knows it by now: then the task is for that one. */
  definition(name: string, worker: () => string): JobDefinition;
}

export interface UnknownJobsParts {
  readonly api: SteadyApi;
  readonly log: WorkerLog;
  readonly queue: string;
  /** Those that it knows. */
  readonly jobs: ReadonlyMap<string, JobDefinition>;
}

interface JobThere {
  readonly schema: JsonSchema;
  readonly output: JsonSchema | null;
  readonly workers: readonly string[];
}

type Asking = Pick<SteadyAsk, "tries" | "signal">;

const tries = 3;
const othersMs = 1_000;

export function unknownJobs({ api, log, queue, jobs }: UnknownJobsParts): UnknownJobs {
  const areAmong = colleagues(api, takesTasks(queue));

  const isForOthers = ({ workers }: JobThere, worker: string, how: Asking): Promise<boolean> =>
    areAmong(
      workers.filter((other) => other !== worker),
      how,
    );

  /** Makes the worker one that serves a job which is there already, as it is there. False: colleagues do. */
  async function link(fullName: string, worker: string, how: Asking): Promise<boolean> {
    const { room, category, name } = jobPath(fullName);
    const job = await findJob(api, fullName, how);
    if (await isForOthers(job, worker, how)) return false;
    const { schema, output } = job;
    const body = { category, name, schema, ...(output !== null && { output }), worker_id: worker };
    await api.request("PUT", `/rooms/${encodeURIComponent(room)}/jobs`, { body, ...how });
    return true;
  }

  return {
    async adopt({ job_name: name }, worker, signal) {
      if (jobs.has(name) || jobPath(name).category !== "operations") return false;
      try {
        return await link(name, worker, { tries, signal });
      } catch (error) {
        log.debug("an unknown operation was not taken on", { job: name, why: wordsOf(error) });
        return false;
      }
    },
    definition: (name, worker) => ({
      ...{ name, options: {} },
      async handler() {
        if (await isForOthers(await findJob(api, name, { tries }), worker(), { tries })) throw new RetryLater(othersMs);
        const said = `No operation is registered under the name '${jobPath(name).name}'`;
        throw new Fail(said, { code: "UnknownOperation", retryable: false });
      },
    }),
  };
}

export async function findJob(api: SteadyApi, fullName: string, how: Asking): Promise<JobThere> {
  const { room, url } = jobPath(fullName);
  return (await api.request<JobThere>("GET", `/rooms/${encodeURIComponent(room)}/jobs/${url}`, how)).body;
}
