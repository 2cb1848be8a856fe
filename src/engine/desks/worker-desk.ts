// Workers of the REST door, and everyone's view of the fleet.

import { isSuperuser, type Principal, requireWrite } from "../../core/access.ts";
import { isGivenUp, type WorkerState, workerState } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import type { JobRecord, WorkerEvent, WorkerRecord } from "../../ports/records.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type Cancels, cancels } from "./cancels.ts";
import type { JobDesk } from "./job-desk.ts";
import { newestFirst, pageOf } from "./page.ts";

export interface WorkerView {
  readonly worker: WorkerRecord;
  readonly state: WorkerState;
}

export interface WorkerQuery extends PageQuery {
  readonly deleted?: boolean;
  readonly state?: WorkerState | undefined;
  readonly room?: string | undefined;
  readonly label?: { readonly key: string; readonly value: string } | undefined;
}

export interface Heartbeat {
  readonly id: string;
  readonly seenAt: number;
  /** Tasks it held that were cancelled since its last beat here. */
  readonly cancel: readonly string[];
}

export interface WorkerDesk {
  create(who: Principal): Promise<WorkerRecord>;
  /** For the owner alone. */
  beat(who: Principal, id: string): Promise<Heartbeat>;
  remove(who: Principal, id: string): Promise<void>;
  get(who: Principal, id: string): Promise<WorkerView>;
  list(who: Principal, query: WorkerQuery): Promise<Page<WorkerView>>;
  jobs(who: Principal, id: string, page: PageQuery): Promise<Page<JobRecord>>;
  events(who: Principal, id: string, page: PageQuery): Promise<Page<WorkerEvent>>;
  /** The caller's living worker: 404 where there is none, 403 where it is another's. */
  owned(who: Principal, id: string): Promise<WorkerRecord>;
  stop(): void;
}

export interface WorkerDeskParts {
  readonly operations: Pick<Operations, "workers" | "losing" | "beat" | "catalog">;
  readonly jobs: JobDesk;
}

export function workerDesk(around: Surroundings, { operations, jobs }: WorkerDeskParts): WorkerDesk {
  const { store, clock } = around;
  const { catalog } = operations;
  const told: Cancels = cancels(around, catalog);

  async function find(id: string): Promise<WorkerRecord> {
    const [worker] = await store.read("workers", { ids: [id] });
    if (worker === undefined) throw unknown(id);
    return worker;
  }

  async function owned(who: Principal, id: string): Promise<WorkerRecord> {
    const known = catalog.worker(id);
    const worker = known === undefined || isGivenUp(known.session) ? await find(id) : known;
    if (isGivenUp(worker.session)) throw unknown(id);
    if (worker.owner !== who.user) throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
    // Whoever claims may be told of a cancel by the very first beat.
    told.listen(id);
    return worker;
  }

  async function list(who: Principal, query: WorkerQuery): Promise<Page<WorkerView>> {
    const now = clock.now();
    const seesJob = query.room === undefined ? null : jobs.visibleIn(query.room);
    const known = [...catalog.workers(), ...(query.deleted === true ? await removed() : [])];
    const wanted = known.filter(
      (worker) =>
        (query.state === undefined || workerState(worker.session, now) === query.state) &&
        (seesJob === null || [...worker.jobs.keys()].some(seesJob)) &&
        (query.label === undefined || worker.labels[query.label.key] === query.label.value) &&
        maySee(who, worker),
    );
    const page = pageOf(wanted.sort(newestFirst), query);
    // The catalog knows who is there; when each was last seen is asked for.
    const fresh = new Map((await store.read("workers", { ids: page.items.map(({ id }) => id) })).map((w) => [w.id, w]));
    return { ...page, items: page.items.map((worker) => view(fresh.get(worker.id) ?? worker)) };
  }

  async function removed(): Promise<readonly WorkerRecord[]> {
    return store.read("workers", { ids: await store.find("removed", { limit: removedMax }) });
  }

  /** A token that is limited to rooms sees the workers that serve them. */
  function maySee(who: Principal, worker: WorkerRecord): boolean {
    if (who.rooms === null || worker.owner === who.user) return true;
    return [...worker.jobs.keys()].some((job) => jobs.maySee(who, job));
  }

  function view(worker: WorkerRecord): WorkerView {
    return { worker, state: workerState(worker.session, clock.now()) };
  }

  async function visible(who: Principal, id: string): Promise<WorkerRecord> {
    const worker = await find(id);
    if (!maySee(who, worker)) throw unknown(id);
    return worker;
  }

  return {
    create(who) {
      requireWrite(who);
      return operations.workers.register({ profile: "rest", owner: who.user, jobs: new Map() });
    },
    async beat(who, id) {
      await owned(who, id);
      const { seenAt } = await operations.beat(id);
      return { id, seenAt, cancel: told.take(id) };
    },
    async remove(who, id) {
      const worker = await find(id);
      if (worker.session.removedAt !== null) throw unknown(id);
      if (worker.owner !== who.user && !isSuperuser(who)) {
        throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
      }
      await operations.losing.remove(worker);
    },
    get: async (who, id) => view(await visible(who, id)),
    list,
    async jobs(who, id, page) {
      const worker = await visible(who, id);
      const linked = [...worker.jobs.keys()].flatMap((name) => catalog.job(name) ?? []).filter((job) => !job.deleted);
      return pageOf(linked.filter((job) => jobs.maySee(who, job.name)).sort(newestFirst), page);
    },
    async events(who, id, page) {
      await visible(who, id);
      return store.read("workerEvents", { worker: id, ...page });
    },
    owned,
    stop: () => told.stop(),
  };
}

/** Removed workers are kept for a while only; of very many the latest are shown. */
const removedMax = 1_000;

function unknown(id: string): Problem {
  return new Problem("worker-not-found", `Worker ${id} does not exist`);
}
