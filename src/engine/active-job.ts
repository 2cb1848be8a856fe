import { parseJobName } from "../core/name.ts";
import { Problem } from "../core/problem.ts";
import type { JobRecord } from "../ports/records.ts";
import type { Catalog } from "./catalog.ts";

/** The job of this full name, unless it is marked as deleted. Throws job-not-found. */
export async function activeJob(catalog: Catalog, name: string): Promise<JobRecord> {
  const known = catalog.job(name);
  if (known !== undefined && !known.deleted) return known;
  parseJobName(name);
  // It may have been registered with another server a moment ago.
  await catalog.refresh();
  const job = catalog.job(name);
  if (job === undefined || job.deleted) throw new Problem("job-not-found", `Job '${name}' does not exist`);
  return job;
}
