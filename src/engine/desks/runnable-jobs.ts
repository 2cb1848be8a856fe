// Jobs that somebody may run: any that is there, but one of @internal only while a server runs it.

import { internalRoom } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { JobRecord } from "../../ports/records.ts";
import { activeJob } from "../active-job.ts";
import type { Catalog } from "../catalog.ts";
import { hasExecutor } from "../executors/has-executor.ts";

export function runnableJobs(catalog: Catalog) {
  function isRunnable(job: JobRecord): boolean {
    return job.room !== internalRoom || hasExecutor(catalog, job);
  }

  /** As far as this server knows. */
  function usable(name: string): JobRecord | undefined {
    const job = catalog.job(name);
    return job === undefined || job.deleted || !isRunnable(job) ? undefined : job;
  }

  /** Throws job-not-found, or internal-job-not-configured. */
  async function jobNamed(name: string): Promise<JobRecord> {
    const job = await activeJob(catalog, name);
    if (isRunnable(job)) return job;
    // Another server may have begun to run it a moment ago.
    await catalog.refresh();
    const runnable = usable(name);
    if (runnable !== undefined) return runnable;
    throw new Problem("internal-job-not-configured", `No server runs '${name}'`);
  }

  /** Of each; null where this server does not know one of them. */
  function knownJobs(wanted: readonly { readonly job: string }[]): readonly JobRecord[] | null {
    const jobs: JobRecord[] = [];
    for (const { job } of wanted) {
      const known = usable(job);
      if (known === undefined) return null;
      jobs.push(known);
    }
    return jobs;
  }

  /** As `jobNamed`, of each. */
  async function jobsNamed(wanted: readonly { readonly job: string }[]): Promise<readonly JobRecord[]> {
    const jobs: JobRecord[] = [];
    for (const { job } of wanted) jobs.push(usable(job) ?? (await jobNamed(job)));
    return jobs;
  }

  return { usable, jobNamed, knownJobs, jobsNamed };
}
