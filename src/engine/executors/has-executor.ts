import { isGivenUp } from "../../core/liveness.ts";
import type { JobRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";

/** Whether a server of this database runs the job, as it is described now. */
export function hasExecutor(catalog: Catalog, job: JobRecord): boolean {
  return catalog.workersOfJob(job.name).some((id) => {
    const worker = catalog.worker(id);
    if (worker === undefined || worker.profile !== "internal" || isGivenUp(worker.session)) return false;
    return worker.jobs.get(job.name) === job.checksum;
  });
}
