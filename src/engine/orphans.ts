// A job that a worker registered goes when no worker serves it and no pending task waits for it. It is only marked:
// its tasks keep their history, and registering it again, or a worker that serves it, brings it back.

import type { JobRecord, JobView } from "../ports/records.ts";
import type { AmendView } from "../ports/store.ts";

export function isOrphan({ job, workers, pending }: JobView): boolean {
  return job.source === "worker" && !job.deleted && workers === 0 && !pending;
}

/** The jobs to mark when a worker lets go of them. */
export function orphansAfter(view: AmendView, released: readonly string[]): JobRecord[] {
  return released.flatMap((name) => {
    const found = view.jobs.get(name);
    return found === undefined ? [] : orphaned({ ...found, workers: found.workers - 1 });
  });
}

/** The jobs to bring back when a worker is linked to all of the view. What somebody deleted stays deleted. */
export function adopted(view: AmendView): JobRecord[] {
  const marked = [...view.jobs.values()].filter(({ job }) => job.deleted && job.source === "worker");
  return marked.map(({ job }) => ({ ...job, deleted: false, revision: job.revision + 1 }));
}

export function orphaned(view: JobView): JobRecord[] {
  return isOrphan(view) ? [{ ...view.job, deleted: true, revision: view.job.revision + 1 }] : [];
}
