// Everyone's view of the fleet. The catalog knows who is there; when each was last seen is asked for. Of a worker's jobs
// everyone sees those that are his to see.

import { mayOperate, maySeeRoom, type Principal } from "../../core/access.ts";
import { type WorkerState, workerState } from "../../core/liveness.ts";
import { checkRoom } from "../../core/name.ts";
import { counting, type Pause } from "../../core/pause.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import { holdingsMax, type Page, type PageQuery } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import { withoutServed } from "../served-jobs.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Conditions, Standing } from "./conditions.ts";
import type { JobDesk } from "./job-desk.ts";
import { newestFirst, pageOf } from "./page.ts";

export interface WorkerView extends Standing {
  readonly worker: WorkerRecord;
  readonly state: WorkerState;
  /** Why it is given nothing new, where somebody has paused it. */
  readonly pause: Pause | null;
  /** Somebody paused it, or it said so. */
  readonly paused: boolean;
  /** How many tasks are in its hands, counted up to holdingsMax. */
  readonly held: number;
  /** Whether whoever looks may pause, drain, limit and empty it. */
  readonly mayOperate: boolean;
}

export interface HoldingView extends WorkerView {
  /** The tasks in its hands, the oldest first. */
  readonly holds: readonly string[];
}

export interface WorkerQuery extends PageQuery {
  readonly deleted?: boolean;
  readonly state?: WorkerState | undefined;
  readonly room?: string | undefined;
  readonly label?: { readonly key: string; readonly value: string } | undefined;
}

export interface WorkerViews {
  /** Removed workers too, as long as they are kept. Throws worker-not-found. */
  find(id: string): Promise<WorkerRecord>;
  /** Throws worker-not-found, also where the worker is not the caller's to see. */
  visible(who: Principal, id: string): Promise<HoldingView>;
  list(who: Principal, query: WorkerQuery): Promise<Page<WorkerView>>;
  maySee(who: Principal, worker: WorkerRecord): boolean;
}

export interface WorkerViewsParts {
  readonly operations: Pick<Operations, "heardAt" | "catalog">;
  readonly jobs: JobDesk;
  readonly conditions: Conditions;
}

/** Removed workers are kept for a while only; of very many the latest are shown. */
const removedMax = 1_000;

export function workerViews({ store, clock }: Surroundings, parts: WorkerViewsParts): WorkerViews {
  const { operations, jobs, conditions } = parts;
  const { catalog, heardAt } = operations;

  async function find(id: string): Promise<WorkerRecord> {
    const [worker] = await store.read("workers", { ids: [id] });
    if (worker === undefined) throw unknownWorker(id);
    return worker;
  }

  async function list(who: Principal, query: WorkerQuery): Promise<Page<WorkerView>> {
    if (query.room !== undefined) checkRoom(query.room);
    if (query.room !== undefined && !maySeeRoom(who, query.room)) return pageOf([], query);
    const seesJob = query.room === undefined ? null : jobs.visibleIn(query.room);
    const known = [...catalog.workers(), ...(query.deleted === true ? await removed() : [])];
    const wanted = known.filter(
      (worker) =>
        (seesJob === null || [...worker.jobs.keys()].some(seesJob)) &&
        (query.label === undefined || worker.labels[query.label.key] === query.label.value) &&
        maySee(who, worker),
    );
    wanted.sort(newestFirst);
    if (query.state !== undefined) {
      const views = await fresh(who, wanted);
      const found = pageOf(
        views.filter(({ state }) => state === query.state),
        query,
      );
      return { ...found, items: await withHoldings(found.items) };
    }
    const page = pageOf(wanted, query);
    return { ...page, items: await withHoldings(await fresh(who, page.items)) };
  }

  async function fresh(who: Principal, workers: readonly WorkerRecord[]): Promise<WorkerView[]> {
    const found = await store.read("workers", { ids: workers.map(({ id }) => id) });
    const byId = new Map(found.map((worker) => [worker.id, worker]));
    return workers.map((worker) => view(who, byId.get(worker.id) ?? worker));
  }

  async function withHoldings(views: readonly WorkerView[]): Promise<WorkerView[]> {
    if (views.length === 0) return [];
    const holdings = await store.read("holdings", { workers: views.map(({ worker }) => worker.id) });
    return views.map((view) => ({ ...view, held: holdings.get(view.worker.id) ?? 0 }));
  }

  async function removed(): Promise<readonly WorkerRecord[]> {
    return store.read("workers", { ids: await store.find("removed", { limit: removedMax }) });
  }

  /** Beats are noted before they are written, so what was heard here may be newer than the record. */
  function view(who: Principal, worker: WorkerRecord): WorkerView {
    const seenAt = Math.max(worker.session.seenAt, heardAt(worker.id) ?? 0);
    const session = { ...worker.session, seenAt };
    const jobsInSight = new Map([...worker.jobs].filter(([job]) => jobs.maySee(who, job)));
    const state = workerState(session, clock.now());
    const pause = counting(catalog.pause("worker", worker.id), clock.now());
    const seen = { ...worker, session, about: withoutServed(worker.about), jobs: jobsInSight };
    const paused = worker.paused || pause !== null;
    const rights = { mayOperate: mayOperate(who, worker.owner) };
    return { worker: seen, state, pause, paused, held: 0, ...rights, ...conditions.of(worker) };
  }

  /** A token that is limited to rooms sees the workers that serve them. */
  function maySee(who: Principal, worker: WorkerRecord): boolean {
    if (who.rooms === null || worker.owner === who.user) return true;
    return [...worker.jobs.keys()].some((job) => jobs.maySee(who, job));
  }

  return {
    find,
    list,
    maySee,
    async visible(who, id) {
      const worker = await find(id);
      if (!maySee(who, worker)) throw unknownWorker(id);
      const holds = await store.find("held", { workers: [id], limit: holdingsMax });
      return { ...view(who, worker), held: holds.length, holds };
    },
  };
}

export function unknownWorker(id: string): Problem {
  return new Problem("worker-not-found", `Worker ${id} does not exist`);
}
