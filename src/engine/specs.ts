// Specs that a deployment registers: whoever may, says what the status quo of a job is. Many at once are all registered or
// none, because they are one transaction.

import { Problem } from "../core/problem.ts";
import type { AuditEntry, JobRecord, WorkerEvent } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import { announceJobs } from "./announcements.ts";
import type { Catalog } from "./catalog.ts";
import { checkedChecksum, type JobRequest, jobAfter } from "./jobs.ts";
import type { Surroundings } from "./surroundings.ts";
import { workerEvent } from "./worker-record.ts";

/** A spec as it is registered: it replaces the status quo. */
export interface SpecRequest
  extends Pick<JobRequest, "name" | "schema" | "output" | "queue" | "labels" | "policy" | "push"> {
  /** What has to be there: nothing, anything, or the spec of this checksum. */
  readonly expects?: "absent" | "present" | { readonly checksum: string };
}

export interface RegisteredSpec {
  readonly job: JobRecord;
  /** Null where there was none. */
  readonly before: JobRecord | null;
}

export interface Specs {
  /** Throws what is wrong with the request by itself. */
  check(request: SpecRequest): void;
  /** In the order asked for. Throws what `register` of jobs throws, and precondition-failed. No job may be there twice. */
  put(requests: readonly SpecRequest[], audit?: SpecAudit): Promise<readonly RegisteredSpec[]>;
  /** Only marks it: its tasks keep their history. Throws job-not-found, and spec-in-use while tasks wait for it. */
  remove(name: string, audit?: AuditEntry): Promise<void>;
}

/** The entry for each spec that changes anything. */
export type SpecAudit = (registered: RegisteredSpec) => AuditEntry;

const asSpec = { source: "explicit", replace: true } as const;

export function specs(
  { store, clock, ids, bus, settings }: Surroundings,
  catalog: Catalog,
  categories: readonly string[],
): Specs {
  async function put(requests: readonly SpecRequest[], audit?: SpecAudit): Promise<readonly RegisteredSpec[]> {
    const wanted = requests.map(({ expects, ...words }) => {
      const request = { ...words, ...asSpec };
      return { request, expects, id: ids.next(), checksum: checkedChecksum(request, categories, settings.push) };
    });
    const names = requests.map(({ name }) => name);
    const { answer } = await store.amend({ jobs: names }, (view) => {
      const now = clock.now();
      const registered = wanted.map(({ request, expects, id, checksum }): RegisteredSpec => {
        const found = view.jobs.get(request.name)?.job;
        const before = found === undefined || found.deleted ? null : found;
        checkExpected(request.name, before, expects);
        return { job: jobAfter(request, { id, checksum, now, found }), before };
      });
      const changed = registered.filter(({ job, before }) => job !== before);
      return {
        answer: registered,
        jobs: changed.map(({ job }) => job),
        audit: audit === undefined ? [] : changed.map(audit),
        workerEvents: registered.flatMap((each) => mismatches(catalog, each, now)),
      };
    });
    await told(answer.filter(({ job, before }) => job !== before).map(({ job }) => job.name));
    return answer;
  }

  async function remove(name: string, audit?: AuditEntry): Promise<void> {
    await store.amend({ jobs: [name] }, (view) => {
      const found = view.jobs.get(name);
      if (found === undefined || found.job.deleted) throw new Problem("job-not-found", `Job '${name}' does not exist`);
      if (found.job.source !== "explicit") {
        const whose =
          found.job.source === "internal" ? "belongs to the servers that run it" : "goes with its last worker";
        throw new Problem("spec-in-use", `Job '${name}' was not registered as a spec: it ${whose}`);
      }
      if (found.pending) throw new Problem("spec-in-use", `Tasks wait for '${name}': cancel them, or let them end`);
      const job = { ...found.job, deleted: true, revision: found.job.revision + 1 };
      return { answer: null, jobs: [job], audit: audit === undefined ? [] : [audit] };
    });
    await told([name]);
  }

  async function told(names: readonly string[]): Promise<void> {
    await catalog.refresh();
    if (names.length === 0) return;
    bus.publish("catalog");
    announceJobs(bus, names);
  }

  return {
    put,
    remove,
    check: (request) => void checkedChecksum({ ...request, ...asSpec }, categories, settings.push),
  };
}

/** Those who announced what was registered before. Workers that are connected are told, and their histories by their servers. */
function mismatches(catalog: Catalog, { job, before }: RegisteredSpec, now: number): readonly WorkerEvent[] {
  if (before === null || before.checksum === job.checksum) return [];
  const links = catalog.workersOfJob(job.name).flatMap((id) => catalog.worker(id) ?? []);
  const others = links.filter(({ profile, jobs }) => profile !== "work" && isOther(jobs.get(job.name), job.checksum));
  return others.slice(0, rowsMax).map(({ id, jobs }) => {
    const announced = jobs.get(job.name) ?? null;
    return workerEvent(id, now, "worker.spec_mismatch", { spec: job.name, announced, registered: job.checksum });
  });
}

function isOther(announced: string | null | undefined, checksum: string): boolean {
  return announced != null && announced !== checksum;
}

function checkExpected(name: string, found: JobRecord | null, expects: SpecRequest["expects"]): void {
  if (expects === undefined) return;
  if (expects === "absent") {
    if (found !== null) throw new Problem("precondition-failed", `Job '${name}' is registered already`);
  } else if (found === null) throw new Problem("precondition-failed", `Job '${name}' is not registered`);
  else if (expects !== "present" && expects.checksum !== found.checksum) {
    throw new Problem("precondition-failed", `Job '${name}' has the checksum ${found.checksum} by now`);
  }
}
