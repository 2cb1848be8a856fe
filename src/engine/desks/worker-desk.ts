// Workers of the REST door: what their owners may do with them, and what others may see.

import { isSuperuser, type Principal, requireWrite } from "../../core/access.ts";
import { type AskingProfile, isAsking, isGivenUp } from "../../core/liveness.ts";
import { Problem } from "../../core/problem.ts";
import type { CommandRecord, JobRecord, WorkerEvent, WorkerRecord } from "../../ports/records.ts";
import type { Page, PageQuery } from "../../ports/store-reads.ts";
import { auditEntry } from "../audit-entry.ts";
import { hearsCommands } from "../control/command.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WorkerWords } from "../worker-record.ts";
import { type Cancels, cancels } from "./cancels.ts";
import type { Condition, Conditions } from "./conditions.ts";
import type { JobDesk } from "./job-desk.ts";
import { newestFirst, pageOf } from "./page.ts";
import { type HoldingView, unknownWorker, type WorkerQuery, type WorkerView, workerViews } from "./worker-views.ts";

export interface Heartbeat {
  readonly id: string;
  readonly seenAt: number;
  /** Tasks it held that were cancelled since its last beat here. */
  readonly cancel: readonly string[];
  /** What it was told to do and has not acknowledged. */
  readonly commands: readonly CommandRecord[];
}

export interface WorkerDesk {
  create(who: Principal, words?: WorkerWords & { readonly profile?: AskingProfile }): Promise<WorkerRecord>;
  /** For the owner alone. */
  beat(who: Principal, id: string, condition?: Condition | null): Promise<Heartbeat>;
  /** What a worker was told to do and has not acknowledged; from now on it counts as delivered. */
  commandsFor(worker: WorkerRecord): Promise<readonly CommandRecord[]>;
  remove(who: Principal, id: string): Promise<void>;
  get(who: Principal, id: string): Promise<HoldingView>;
  list(who: Principal, query: WorkerQuery): Promise<Page<WorkerView>>;
  jobs(who: Principal, id: string, page: PageQuery): Promise<Page<JobRecord>>;
  events(who: Principal, id: string, page: PageQuery): Promise<Page<WorkerEvent>>;
  /** The caller's living worker: 404 where there is none, 403 where it is another's. */
  owned(who: Principal, id: string): Promise<WorkerRecord>;
  maySee(who: Principal, worker: WorkerRecord): boolean;
  stop(): void;
}

export interface WorkerDeskParts {
  readonly operations: Pick<Operations, "workers" | "losing" | "beat" | "heardAt" | "catalog" | "deliveries">;
  readonly jobs: JobDesk;
  readonly conditions: Conditions;
}

export function workerDesk(around: Surroundings, parts: WorkerDeskParts): WorkerDesk {
  const { operations, jobs, conditions: said } = parts;
  const { store } = around;
  const { catalog } = operations;
  const views = workerViews(around, { operations, jobs, conditions: said });
  const told: Cancels = cancels(around, catalog);

  async function owned(who: Principal, id: string): Promise<WorkerRecord> {
    const known = catalog.worker(id);
    const worker = known === undefined || isGivenUp(known.session) ? await views.find(id) : known;
    if (isGivenUp(worker.session)) throw unknownWorker(id);
    if (worker.owner !== who.user) throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
    // Whoever claims may be told of a cancel by the very first beat.
    told.listen(id);
    return worker;
  }

  /** A sign of life counts even where nobody can look now. */
  async function commandsFor(worker: WorkerRecord): Promise<readonly CommandRecord[]> {
    // In this order, because the first costs nothing.
    if (worker.orders.latest === null || !hearsCommands(worker)) return [];
    try {
      return await operations.deliveries.open(worker);
    } catch (error) {
      if (!(error instanceof Problem && error.retry)) throw error;
      return [];
    }
  }

  return {
    create(who, { profile = "rest", ...words } = {}) {
      requireWrite(who);
      return operations.workers.register({ ...words, profile, owner: who.user, jobs: new Map() });
    },
    async beat(who, id, condition = null) {
      requireWrite(who);
      const worker = await owned(who, id);
      const { seenAt } = await operations.beat(id);
      if (condition !== null) said.note(id, condition);
      // What beats for a connected worker is told nothing.
      const commands = isAsking(worker.profile) ? await commandsFor(worker) : [];
      return { id, seenAt, cancel: await told.take(id), commands };
    },
    commandsFor,
    async remove(who, id) {
      requireWrite(who);
      const worker = await views.find(id);
      if (worker.session.removedAt !== null) throw unknownWorker(id);
      if (worker.owner !== who.user && !isSuperuser(who)) {
        throw new Problem("forbidden", `Worker ${id} belongs to someone else`);
      }
      const { name, profile, owner } = worker;
      const act = { action: "worker.delete", kind: "worker", target: id, data: { name, profile, owner } };
      await operations.losing.remove(worker, auditEntry(around, who, act));
    },
    get: views.visible,
    list: views.list,
    async jobs(who, id, page) {
      const { worker } = await views.visible(who, id);
      const linked = [...worker.jobs.keys()].flatMap((name) => catalog.job(name) ?? []).filter((job) => !job.deleted);
      return pageOf(linked.filter((job) => jobs.maySee(who, job.name)).sort(newestFirst), page);
    },
    async events(who, id, page) {
      await views.visible(who, id);
      return store.read("workerEvents", { worker: id, ...page });
    },
    owned,
    maySee: views.maySee,
    stop: () => told.stop(),
  };
}
