// Which checksums of a job are in use: the registered one, and what the workers that are there announced.

import type { Principal } from "../../core/access.ts";
import { type WorkerState, workerState } from "../../core/liveness.ts";
import { globalRoom } from "../../core/name.ts";
import type { JobRecord, WorkerRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import { runnables } from "../runnable.ts";
import type { Surroundings } from "../surroundings.ts";
import type { JobDesk } from "./job-desk.ts";

export interface JobVersion {
  /** Null: fit for whatever is registered. */
  readonly checksum: string | null;
  /** Whether these workers may run the job as it is registered now. */
  readonly isCurrent: boolean;
  readonly workerCount: number;
  /** Not more than some. */
  readonly workers: readonly { readonly worker: WorkerRecord; readonly state: WorkerState }[];
}

export interface JobVersions {
  readonly job: JobRecord;
  /** Why nobody can run it; null where somebody can. */
  readonly reason: string | null;
  /** The registered one first, then those with the most workers. */
  readonly versions: readonly JobVersion[];
}

export interface VersionDesk {
  versions(who: Principal, job: string): Promise<JobVersions>;
}

export interface VersionDeskParts {
  readonly operations: Pick<Operations, "catalog" | "heardAt">;
  readonly jobs: JobDesk;
}

const versionsMax = 100;
const workersMax = 100;

export function versionDesk({ store, clock }: Surroundings, { operations, jobs }: VersionDeskParts): VersionDesk {
  const { catalog, heardAt } = operations;
  const known = runnables(catalog);

  async function fresh(workers: readonly WorkerRecord[]) {
    const found = await store.read("workers", { ids: workers.map(({ id }) => id) });
    return found.map((worker) => {
      const seenAt = Math.max(worker.session.seenAt, heardAt(worker.id) ?? 0);
      return { worker, state: workerState({ ...worker.session, seenAt }, clock.now()) };
    });
  }

  return {
    async versions(who, name) {
      const { job } = await jobs.get(who, globalRoom, name);
      const byChecksum = new Map<string | null, WorkerRecord[]>([[job.checksum, []]]);
      for (const worker of known.workersOf(name)) {
        const announced = worker.jobs.get(name) ?? null;
        byChecksum.set(announced, [...(byChecksum.get(announced) ?? []), worker]);
      }
      const isRegistered = ([checksum]: readonly [string | null, unknown]): boolean => checksum === job.checksum;
      const all = [...byChecksum].sort(
        (a, b) => Number(isRegistered(b)) - Number(isRegistered(a)) || b[1].length - a[1].length,
      );
      const versions = await Promise.all(
        all.slice(0, versionsMax).map(async ([checksum, workers]) => {
          const isCurrent = checksum === null || checksum === job.checksum;
          const shown = await fresh(workers.slice(0, workersMax));
          return { checksum, isCurrent, workerCount: workers.length, workers: shown };
        }),
      );
      return { job, reason: known.whyNotJob(job), versions };
    },
  };
}
