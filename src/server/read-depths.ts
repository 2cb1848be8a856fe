// What a scrape is told about tasks and workers.

import { type WorkerState, workerState } from "../core/liveness.ts";
import { uuid7Time } from "../core/uuid7.ts";
import type { Operations } from "../engine/engine.ts";
import type { Clock } from "../ports/clock.ts";
import type { WorkerRecord } from "../ports/records.ts";
import type { Store } from "../ports/store.ts";
import type { LaneDepth } from "../ports/store-reads.ts";
import type { Depths, JobDepth } from "./depth-gauges.ts";

export interface DepthSources {
  readonly operations: Pick<Operations, "catalog" | "depths">;
  readonly store: Pick<Store, "read">;
  readonly clock: Clock;
}

export async function readDepths({ operations, store, clock }: DepthSources): Promise<Depths> {
  const { catalog, depths } = operations;
  const jobs = jobDepths(await depths.lanes(), (lane) => catalog.lane(lane)?.job, clock.now());
  const workers = await sessionsOf(
    [...catalog.workers()].map(({ id }) => id),
    store,
  );
  return { jobs, workers: countStates(workers, clock.now()) };
}

/** The lanes of a job, added up. */
function jobDepths(lanes: readonly LaneDepth[], jobOf: (lane: number) => string | undefined, now: number): JobDepth[] {
  const jobs = new Map<string, JobDepth>();
  for (const { lane, ready, held, oldestId } of lanes) {
    const job = jobOf(lane);
    if (job === undefined) continue;
    const before = jobs.get(job) ?? { job, ready: 0, held: 0, oldestReadyMs: null };
    const age = oldestId === null ? null : Math.max(0, now - uuid7Time(oldestId));
    const oldestReadyMs = age === null ? before.oldestReadyMs : Math.max(age, before.oldestReadyMs ?? 0);
    jobs.set(job, { job, ready: before.ready + ready, held: before.held + held, oldestReadyMs });
  }
  return [...jobs.values()];
}

/** Asked for in slices, so that ten thousand workers do not make everyone else wait for one read. */
const slice = 500;

/** From the store: beats change no catalog, so the copies in it only know when each worker was registered. */
async function sessionsOf(ids: readonly string[], store: Pick<Store, "read">): Promise<WorkerRecord[]> {
  const workers: WorkerRecord[] = [];
  for (let from = 0; from < ids.length; from += slice) {
    if (from > 0) await new Promise(setImmediate);
    workers.push(...(await store.read("workers", { ids: ids.slice(from, from + slice) })));
  }
  return workers;
}

function countStates(workers: readonly WorkerRecord[], now: number): Record<WorkerState, number> {
  const counts = { ONLINE: 0, UNREACHABLE: 0, OFFLINE: 0, DELETED: 0 };
  for (const { session } of workers) counts[workerState(session, now)] += 1;
  return counts;
}
