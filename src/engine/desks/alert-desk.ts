// Alerts: workers raise them for themselves, people look at those of the workers they may see.

import { type Principal, requireWrite } from "../../core/access.ts";
import type { Alert } from "../../core/alert.ts";
import type { WorkerEvent } from "../../ports/records.ts";
import type { AlertFilter, Page, PageQuery } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface AlertQuery extends Omit<AlertFilter, "workers">, PageQuery {
  readonly worker?: string;
}

export interface AlertDesk {
  /** For the owner alone. Answers whether it was kept. */
  raise(who: Principal, worker: string, alert: Alert): Promise<boolean>;
  /** Newest first. A worker that is gone is no longer in the sight of a token that is limited to rooms. */
  list(who: Principal, query: AlertQuery): Promise<Page<WorkerEvent>>;
}

export interface AlertDeskParts {
  readonly operations: Pick<Operations, "alerts" | "catalog">;
  readonly workers: WorkerDesk;
}

export function alertDesk({ store }: Surroundings, { operations, workers }: AlertDeskParts): AlertDesk {
  const { catalog, alerts } = operations;

  /** Undefined: all of them. */
  function inSight(who: Principal, worker: string | undefined): readonly string[] | undefined {
    if (who.rooms === null) return worker === undefined ? undefined : [worker];
    const wanted = worker === undefined ? [...catalog.workers()] : [catalog.worker(worker)];
    return wanted.flatMap((each) => (each !== undefined && workers.maySee(who, each) ? [each.id] : []));
  }

  return {
    async raise(who, worker, alert) {
      requireWrite(who);
      await workers.owned(who, worker);
      return alerts.raise(worker, alert);
    },
    async list(who, { worker, ...query }) {
      const seen = inSight(who, worker);
      return store.read("alerts", { ...query, ...(seen !== undefined && { workers: seen }) });
    },
  };
}
