// The workers that have a job, and what keeps each from the tasks of one of its lanes. Of very many those that look best
// by the catalog are looked at closely: in the database, where other servers' workers beat too.

import type { Principal } from "../../core/access.ts";
import { type ExplainedWorker, type Hindrance, hindranceOf, hindrances, unfitOf } from "../../core/explain.ts";
import { askWithinMs, takesByAsking } from "../../core/explain-asking.ts";
import type { JobGate, Lane, WorkerGate } from "../../core/lane.ts";
import { isGivenUp, type ProfileName, workerState } from "../../core/liveness.ts";
import type { JobRecord, WorkerRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import { servedBy } from "../served-jobs.ts";
import type { Surroundings } from "../surroundings.ts";
import { capacityOf } from "./capacity.ts";
import type { Conditions } from "./conditions.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface WorkerFact extends ExplainedWorker {
  readonly hindrance: Hindrance | null;
  readonly profile: ProfileName;
  readonly draining: boolean;
  /** What it announced for the job; null where it takes whatever is registered. */
  readonly checksum: string | null;
  /** Null: every queue. */
  readonly queues: readonly string[] | null;
  readonly seenAt: number;
  /** When it last asked this server for work; null where it has not, or need not. */
  readonly askedAt: number | null;
}

export interface FoundWorkers {
  readonly workers: readonly WorkerFact[];
  readonly total: number;
  /** How many tasks of the lane are in hand; null where that is not limited. */
  readonly running: number | null;
  /** Of those that are gone; null unless nobody is there. */
  readonly lastSeenAt: number | null;
}

export interface ExplainWorkersParts {
  readonly operations: Pick<Operations, "catalog" | "heardAt" | "askedAt" | "unaskedMs" | "nodeId">;
  readonly conditions: Pick<Conditions, "of">;
  readonly workers: Pick<WorkerDesk, "maySee">;
}

const workersMax = 100;
/** So many of those that went last are looked through for who had the job. */
const goneMax = 200;

export function explainWorkers({ store, clock }: Surroundings, parts: ExplainWorkersParts) {
  const { operations, conditions, workers: desk } = parts;
  const { catalog, heardAt, askedAt, unaskedMs, nodeId } = operations;

  function factOf(who: Principal, worker: WorkerRecord, lane: Lane, job: JobGate, held: number): WorkerFact {
    const { id, name, profile, draining, labels, queues } = worker;
    const seenAt = Math.max(worker.session.seenAt, heardAt(id) ?? 0);
    const known = {
      ...{ state: workerState({ ...worker.session, seenAt }, clock.now()), deaf: conditions.of(worker).deaf },
      ...{ unfit: unfitOf(gateOf(worker), lane, job), pause: catalog.pause("worker", id) ?? null },
      ...{ held, capacity: capacityOf(worker) },
    };
    const said = { profile, draining, checksum: worker.jobs.get(lane.job) ?? null, labels, queues, seenAt };
    const asked = takesByAsking(profile)
      ? { askedAt: askedAt(id), unaskedMs: unaskedMs(worker) }
      : { askedAt: null, unaskedMs: null };
    const fact = { id, name, ...known, hindrance: hindranceOf(known), ...said, ...asked };
    return desk.maySee(who, worker) ? fact : unnamed(fact);
  }

  /** How far a worker is from being able, by what every server knows without a question. */
  function distance(worker: WorkerRecord, lane: Lane, job: JobGate): number {
    const hindrance = hindranceOf({
      ...{ state: isGivenUp(worker.session) ? "OFFLINE" : "ONLINE", deaf: conditions.of(worker).deaf },
      ...{ unfit: unfitOf(gateOf(worker), lane, job), pause: catalog.pause("worker", worker.id) ?? null },
      ...{ held: 0, capacity: null },
    });
    return hindrance === null ? 0 : hindrances.length - hindrances.indexOf(hindrance);
  }

  function nearest(lane: Lane, job: JobGate): { readonly ids: readonly string[]; readonly total: number } {
    const all = catalog.workersOfJob(lane.job).flatMap((id) => catalog.worker(id) ?? []);
    const apart = all.map((worker) => ({ id: worker.id, far: distance(worker, lane, job) }));
    const ids = apart.sort((a, b) => a.far - b.far).slice(0, workersMax);
    return { ids: ids.map(({ id }) => id), total: all.length };
  }

  async function lastSeen(job: string, offline: readonly WorkerFact[]): Promise<number | null> {
    const gone = await store.read("workers", { ids: await store.find("removed", { limit: goneMax }) });
    const had = gone.filter(({ about }) => servedBy(about).includes(job)).map(({ session }) => session.seenAt);
    const times = [...had, ...offline.map(({ seenAt }) => seenAt)];
    return times.length === 0 ? null : Math.max(...times);
  }

  /** What another server may have heard of is not held against anybody. */
  async function fairly(workers: readonly WorkerFact[]): Promise<readonly WorkerFact[]> {
    if (!workers.some(({ unaskedMs: quietMs }) => quietMs !== null && quietMs >= askWithinMs)) return workers;
    const now = clock.now();
    const { nodes } = await store.read("nodes", { now });
    const isAlone = nodes.every(({ id, seenAt }) => id === nodeId || now - seenAt >= askWithinMs);
    return isAlone ? workers : workers.map((worker) => ({ ...worker, unaskedMs: null }));
  }

  return async function found(who: Principal, lane: Lane, job: JobRecord): Promise<FoundWorkers> {
    const gate = { checksum: job.checksum, deleted: job.deleted, push: job.spec.push !== null };
    const { ids, total } = gate.push ? { ids: [], total: 0 } : nearest(lane, gate);
    const lanes = lane.maxRunning === null ? [] : [lane.id];
    const [records, load] = await Promise.all([
      ids.length === 0 ? [] : store.read("workers", { ids }),
      ids.length + lanes.length === 0 ? null : store.read("load", { workers: ids, lanes }),
    ]);
    const held = (id: string): number => load?.workers.get(id) ?? 0;
    const workers = await fairly(records.map((worker) => factOf(who, worker, lane, gate, held(worker.id))));
    const isAnyThere = gate.push || workers.some(({ hindrance }) => hindrance !== "offline");
    return {
      ...{ workers, total },
      running: lane.maxRunning === null ? null : (load?.lanes.get(lane.id) ?? 0),
      lastSeenAt: isAnyThere ? null : await lastSeen(lane.job, workers),
    };
  };
}

/** Of a worker that is not in sight: that it is there, and what keeps it, but not who said so, or why. */
function unnamed(fact: WorkerFact): WorkerFact {
  const unfit = fact.unfit ?? (fact.pause === null ? null : "paused");
  return { ...fact, id: null, name: null, checksum: null, labels: {}, queues: null, unfit, pause: null };
}

function gateOf(worker: WorkerRecord): WorkerGate {
  return { ...worker, queues: worker.queues === null ? null : new Set(worker.queues) };
}
