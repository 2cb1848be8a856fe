// Registering jobs. A worker brings a job with it; a deployment registers a spec explicitly. Whatever is refused leaves
// nothing behind, because job, worker and link are one transaction.

import { type Json, specChecksum } from "../core/checksum.ts";
import { checkCategory, checkJobName, isInternal, parseJobName } from "../core/name.ts";
import { badField, Problem } from "../core/problem.ts";
import { checkPush, type PushRules } from "../core/push.ts";
import type { AuditEntry, JobRecord, JobSource, Spec, WorkerRecord } from "../ports/records.ts";
import type { AmendView } from "../ports/store.ts";
import { announceJobs } from "./announcements.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { checkLaneWords, checkPolicy } from "./task-request.ts";
import { registeredEvent, registrant } from "./worker-record.ts";

/** A job as it is registered. */
export interface JobRequest {
  /** Full name. */
  readonly name: string;
  readonly schema: Json;
  readonly output?: Json;
  readonly queue?: string | null;
  /** What workers must carry for its tasks. Without it, a registered job keeps what it has; null asks for nothing. */
  readonly labels?: Spec["labels"];
  /** Without one, a registered job keeps the policy it has. */
  readonly policy?: Spec["policy"];
  /** Without one, a registered job keeps what it has; null makes it a job for workers again. */
  readonly push?: Json | null;
  readonly source: JobSource;
  /** An explicit spec replaces the status quo; a worker's must equal it. */
  readonly replace: boolean;
  /** Link this worker, or a new one of the `rest` profile; absent: no worker is involved. */
  readonly worker?: { readonly id: string | null; readonly owner: string | null };
}

export interface Registered {
  readonly job: JobRecord;
  readonly worker: WorkerRecord | null;
  /** Made new, or brought back. */
  readonly created: boolean;
}

export interface Jobs {
  /** `audit` makes the entry, where the job is new or changes. */
  register(request: JobRequest, audit?: (job: JobRecord) => AuditEntry): Promise<Registered>;
}

export function jobs(around: Surroundings, catalog: Catalog, categories: readonly string[]): Jobs {
  const { store, clock, ids, bus, settings } = around;

  async function register(request: JobRequest, audit?: (job: JobRecord) => AuditEntry): Promise<Registered> {
    const checksum = checkedChecksum(request, categories, settings.push);
    const id = ids.next();
    const workerId = request.worker === undefined ? null : (request.worker.id ?? ids.next());
    const scope = { jobs: [request.name], workers: workerId === null ? [] : [workerId] };
    const { answer } = await store.amend(scope, (view) => {
      const now = clock.now();
      const found = view.jobs.get(request.name)?.job;
      const job = jobAfter(request, { id, checksum, now, found });
      const worker = workerId === null ? null : linked(view, workerId, job, now);
      const jobWrites = job === found ? [] : [job];
      const registered = { job, worker, created: found === undefined || found.deleted };
      const entries = audit === undefined ? [] : jobWrites.map(audit);
      if (worker === null) return { answer: registered, jobs: jobWrites, audit: entries };
      const workerEvents = view.workers.has(worker.id) ? [] : [registeredEvent(worker, now)];
      return { answer: registered, jobs: jobWrites, workers: [worker], workerEvents, audit: entries };
    });
    await catalog.refresh();
    bus.publish("catalog");
    announceJobs(bus, [request.name]);
    return answer;

    function linked(view: AmendView, id: string, job: JobRecord, now: number): WorkerRecord {
      const { id: given, owner } = request.worker as { id: string | null; owner: string | null };
      const worker = registrant(view, { id, isNew: given === null, owner }, settings.profiles, now);
      return { ...worker, jobs: new Map([...worker.jobs, [job.name, checksum]]) };
    }
  }

  return { register };
}

/** Throws what is wrong with the request by itself. */
export function checkedChecksum(request: JobRequest, categories: readonly string[], rules: PushRules): string {
  const name = parseJobName(request.name);
  checkJobName(name);
  checkCategory(name.category, categories);
  if (request.policy != null) checkPolicy(request.policy);
  checkLaneWords({ labels: request.labels ?? {} });
  if (request.push != null) {
    if (isInternal(request.name)) throw badField("/push", "is not for jobs that a server runs itself");
    if (Object.keys(request.labels ?? {}).length > 0)
      throw badField("/labels", "is not for jobs that are sent to a URL");
    checkPush(request.push, rules);
  }
  return specChecksum(request);
}

export interface Found {
  readonly id: string;
  readonly checksum: string;
  readonly now: number;
  readonly found: JobRecord | undefined;
}

/** The job as it stands after the registration; the very same record when nothing changes. */
export function jobAfter(request: JobRequest, { id, checksum, now, found }: Found): JobRecord {
  const kept = found !== undefined && !found.deleted ? found : null;
  if (kept !== null && kept.checksum !== checksum && !request.replace) {
    throw new Problem("schema-conflict", `Job '${request.name}' is registered with another schema`);
  }
  const spec: Spec = {
    schema: JSON.stringify(request.schema),
    output: request.output === undefined ? null : JSON.stringify(request.output),
    queue: request.queue === undefined ? (kept?.spec.queue ?? null) : request.queue,
    labels: labelsAfter(request.labels, kept),
    policy: request.policy === undefined ? (kept?.spec.policy ?? null) : request.policy,
    push: pushText(request.push, kept),
  };
  // Nobody serves a push job who could leave it behind.
  const source = spec.push === null ? sourceOf(request, kept) : "explicit";
  const isKnown = kept?.checksum === checksum;
  if (kept !== null && kept.source === source && sameSpec(kept.spec, spec, isKnown)) return kept;
  return {
    name: request.name,
    id: found?.id ?? id,
    room: parseJobName(request.name).room,
    spec,
    checksum,
    checksumAt: isKnown ? kept.checksumAt : now,
    source,
    deleted: false,
    createdAt: found?.createdAt ?? now,
    revision: (found?.revision ?? 0) + 1,
  };
}

/** What workers brought becomes explicit when somebody says so, and stays so whoever registers it later. */
function sourceOf({ name, source }: JobRequest, kept: JobRecord | null): JobSource {
  if (isInternal(name)) return kept?.source ?? "internal";
  return kept === null || (kept.source === "worker" && source === "explicit") ? source : kept.source;
}

/** No labels and none at all are the same. */
function labelsAfter(labels: JobRequest["labels"], kept: JobRecord | null): Spec["labels"] {
  if (labels === undefined) return kept?.spec.labels ?? null;
  return labels === null || Object.keys(labels).length === 0 ? null : labels;
}

/** Taken whole or not at all: what one URL was given, a header with a key in it, never goes to another. */
function pushText(push: JobRequest["push"], kept: JobRecord | null): string | null {
  if (push === undefined) return kept?.spec.push ?? null;
  return push === null ? null : JSON.stringify(push);
}

/** Schemas are compared by checksum, so that key order does not matter. */
function sameSpec(a: Spec, b: Spec, sameSchemas: boolean): boolean {
  const policies = JSON.stringify(a.policy) === JSON.stringify(b.policy);
  const labels = labelText(a.labels) === labelText(b.labels);
  return sameSchemas && policies && labels && a.queue === b.queue && a.push === b.push;
}

function labelText(labels: Spec["labels"]): string {
  return JSON.stringify(Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)));
}
