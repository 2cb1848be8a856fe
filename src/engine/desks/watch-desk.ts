// A closer look at one worker: how evenly it beats, and whether its specs are those that are registered.

import type { Principal } from "../../core/access.ts";
import type { HeardBeat } from "../beat-trail.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { WorkerDesk } from "./worker-desk.ts";

export interface BeatsView {
  /** Of the server that was asked. */
  readonly node: string;
  /** How often a worker of its profile is to beat; null where the profile is not known here. */
  readonly everyMs: number | null;
  /** Those that this server heard, the oldest first. */
  readonly beats: readonly HeardBeat[];
}

export interface SpecView {
  readonly job: string;
  /** Null: it is fit for whatever is registered. */
  readonly announced: string | null;
  /** Null: nothing is registered any more. */
  readonly current: string | null;
  /** Null where there is nothing to compare with. */
  readonly matches: boolean | null;
  /** Of the last tasks that ended in its hands. */
  readonly done: number;
}

export interface WatchDesk {
  beats(who: Principal, worker: string): Promise<BeatsView>;
  /** By name. */
  specs(who: Principal, worker: string): Promise<readonly SpecView[]>;
}

export interface WatchDeskParts {
  readonly operations: Pick<Operations, "catalog" | "trailOf" | "nodeId">;
  readonly workers: Pick<WorkerDesk, "get">;
}

export function watchDesk(
  { store, settings }: Pick<Surroundings, "store" | "settings">,
  { operations, workers }: WatchDeskParts,
): WatchDesk {
  const { catalog, trailOf, nodeId } = operations;

  async function doneByJob(worker: string): Promise<ReadonlyMap<string, number>> {
    const byJob = new Map<string, number>();
    for (const [lane, count] of await store.read("workDone", { worker })) {
      const job = catalog.lane(lane)?.job;
      if (job !== undefined) byJob.set(job, (byJob.get(job) ?? 0) + count);
    }
    return byJob;
  }

  return {
    async beats(who, id) {
      const { worker } = await workers.get(who, id);
      const everyMs = settings.profiles[worker.profile]?.beatMs ?? null;
      return { node: nodeId, everyMs, beats: trailOf(id)?.beats() ?? [] };
    },
    async specs(who, id) {
      const { worker } = await workers.get(who, id);
      const done = await doneByJob(id);
      const names = [...worker.jobs].sort(([a], [b]) => (a < b ? -1 : 1));
      return names.map(([job, announced]) => {
        const known = catalog.job(job);
        const current = known === undefined || known.deleted ? null : known.checksum;
        const matches = current === null ? null : announced === null || announced === current;
        return { job, announced, current, matches, done: done.get(job) ?? 0 };
      });
    },
  };
}
