// Which of the specs a worker announces are good for something. It is capable of a job only where both name and checksum
// are the registered ones; every other spec of the same worker is judged by itself.

import { mayUseJob, type Principal } from "../../core/access.ts";
import { checkJobName, isInternal, parseJobName, specJob } from "../../core/name.ts";
import type { Catalog } from "../catalog.ts";
import type { SpecVerdict, WorkRegistration } from "../desks/work-desk.ts";

type AnnouncedSpec = WorkRegistration["specs"][number];

export function specVerdict(
  catalog: Pick<Catalog, "job">,
  who: Principal,
  { id, checksum }: AnnouncedSpec,
): SpecVerdict {
  const name = specJob(id);
  const refused = (reason: NonNullable<SpecVerdict["reason"]>, registered: string | null = null): SpecVerdict => ({
    ...{ id, accepted: false, reason, checksum: registered },
  });
  if (isInternal(name)) return refused("internal");
  if (!mayUseJob(who, name)) return refused("forbidden");
  const job = catalog.job(name);
  if (job === undefined) return refused("unknown");
  if (job.deleted) return refused("deleted");
  if (job.spec.push !== null) return refused("push");
  if (checksum !== null && checksum !== job.checksum) return refused("checksum", job.checksum);
  return { id, accepted: true, reason: null, checksum: job.checksum };
}

/** What is kept of a worker's announcement: jobs that may be registered later too, but none that its token is not for. */
export function linksOf(who: Principal, specs: readonly AnnouncedSpec[]): Map<string, string | null> {
  const links = new Map<string, string | null>();
  for (const { id, checksum } of specs) {
    const name = specJob(id);
    checkJobName(parseJobName(name));
    if (!isInternal(name) && mayUseJob(who, name)) links.set(name, checksum);
  }
  return links;
}
