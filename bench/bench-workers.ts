// Workers, of the `work` profile unless told otherwise, for measurements on the store itself and for those through the engine.

import { profileDueMs } from "../src/core/deadline.ts";
import { defaultProfiles, type ProfileName } from "../src/core/liveness.ts";
import { newWorker } from "../src/engine/worker-record.ts";
import type { Demand, Store, Taker } from "../src/ports/store.ts";
import type { BenchEngine } from "./bench-engine.ts";
import type { BenchSurroundings } from "./surroundings.ts";

const workersEach = 500;

export async function addWorkers(
  store: Store,
  { clock, ids }: BenchSurroundings,
  count: number,
  jobs: readonly string[],
  profile: ProfileName = "work",
): Promise<string[]> {
  const links = new Map(jobs.map((job) => [job, null]));
  const made: string[] = [];
  while (made.length < count) {
    const workers = Array.from({ length: Math.min(workersEach, count - made.length) }, () =>
      newWorker({ id: ids.next(), profile, owner: null, jobs: links }, defaultProfiles, clock.now()),
    );
    await store.amend({ workers: workers.map(({ id }) => id) }, () => ({ answer: null, workers }));
    made.push(...workers.map(({ id }) => id));
  }
  return made;
}

/** They are gone, all at once: whoever measures next in the same database must not have to notice it. */
export async function removeWorkers(store: Store, { clock }: BenchSurroundings, ids: readonly string[]): Promise<void> {
  const now = clock.now();
  for (let from = 0; from < ids.length; from += workersEach) {
    const some = ids.slice(from, from + workersEach);
    await store.amend({ workers: some }, ({ workers: known }) => ({
      answer: null,
      workers: [...known.values()].map((worker) => ({
        ...worker,
        jobs: new Map(),
        session: { ...worker.session, lostAt: now, removedAt: now },
      })),
    }));
  }
}

export function takerOf(worker: string, limit: number): Taker {
  const profile = defaultProfiles.work;
  return { worker, limit, assign: true, dueMs: profileDueMs(profile, true), leaseMs: profile.ownLeaseMs };
}

export function demandOf(lanes: readonly number[], takers: readonly Taker[]): Demand {
  return { lanes, limited: [], takers };
}

/** Registered with the engine and beating once a second until `rest` is called, as a connected worker would. */
export async function livingWorkers({ engine, log }: BenchEngine, count: number, jobs: readonly string[]) {
  const links = new Map(jobs.map((job) => [job, null]));
  const ids: string[] = [];
  // Whoever is there beats already while the others register: it would be given up otherwise.
  const beating = setInterval(() => {
    for (const id of ids) engine.beat(id).catch((error: unknown) => log.error("a beat was refused", { error }));
  }, defaultProfiles.work.beatMs);
  while (ids.length < count) {
    ids.push((await engine.workers.register({ profile: "work", owner: null, jobs: links })).id);
  }
  return { ids, rest: () => clearInterval(beating) };
}
