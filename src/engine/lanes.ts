// The lane of a task: found in the catalog, or made the first time someone asks for it.

import { checkCount } from "../core/checks.ts";
import { askedLabels, defaultQueue, type Labels, type Lane, type LaneKey, lanesMax, laneText } from "../core/lane.ts";
import { badField, Problem } from "../core/problem.ts";
import type { JobRecord } from "../ports/records.ts";
import { activeJob } from "./active-job.ts";
import type { Catalog } from "./catalog.ts";
import type { Surroundings } from "./surroundings.ts";
import { checkLaneWords, type TaskRequest } from "./task-request.ts";

export interface Place {
  readonly job: JobRecord;
  readonly lane: Lane;
}

export type LaneWords = Pick<TaskRequest, "job" | "queue" | "labels" | "checksum">;

export interface Lanes {
  /** Where the task goes, if this server knows job and lane already. */
  known(request: LaneWords): Place | undefined;
  /** Makes lanes where need be. Throws unless every job exists and is active. */
  places(requests: readonly LaneWords[]): Promise<Place[]>;
  /** Null: no limit. */
  setLimits(lane: number, limits: { readonly paused: boolean; readonly maxRunning: number | null }): Promise<void>;
}

function labelsOf({ name, spec }: JobRecord, { labels }: LaneWords): Labels {
  const asked = askedLabels(spec.labels, labels);
  if (asked === null) {
    throw badField("/labels", `contradicts what every task of '${name}' asks for: ${JSON.stringify(spec.labels)}`);
  }
  return asked;
}

export function lanes({ store, bus }: Surroundings, catalog: Catalog): Lanes {
  function keyOf(job: JobRecord, request: LaneWords): LaneKey {
    // A URL has no queues, labels or versions, and one lane is what its limit counts in.
    if (job.spec.push !== null) {
      return { job: job.name, queue: job.spec.queue ?? defaultQueue, labels: {}, checksum: "" };
    }
    return {
      job: job.name,
      queue: request.queue ?? job.spec.queue ?? defaultQueue,
      labels: labelsOf(job, request),
      checksum: request.checksum ?? "",
    };
  }

  function known(request: LaneWords): Place | undefined {
    const job = catalog.job(request.job);
    if (job === undefined || job.deleted) return undefined;
    const lane = catalog.laneFor(keyOf(job, request));
    return lane === undefined ? undefined : { job, lane };
  }

  async function places(requests: readonly LaneWords[]): Promise<Place[]> {
    const wanted: { readonly job: JobRecord; readonly key: LaneKey }[] = [];
    for (const request of requests) {
      const job = await activeJob(catalog, request.job);
      wanted.push({ job, key: keyOf(job, request) });
    }
    await makeMissing(wanted.map(({ key }) => key));
    return wanted.map(({ job, key }) => ({ job, lane: catalog.laneFor(key) as Lane }));
  }

  /** In one commit: a thousand lanes, one by one, would keep everyone else waiting for seconds. */
  async function makeMissing(keys: readonly LaneKey[]): Promise<void> {
    const missing = new Map(
      keys.filter((key) => catalog.laneFor(key) === undefined).map((key) => [laneText(key), key]),
    );
    if (missing.size === 0) return;
    for (const key of missing.values()) checkLaneWords(key);
    if ([...catalog.lanes()].length + missing.size > lanesMax) {
      throw new Problem("too-many-lanes", `There may be ${lanesMax} lanes and no more; reuse queues and labels`);
    }
    const jobs = [...new Set([...missing.values()].map(({ job }) => job))];
    await store.amend({ jobs }, () => ({ answer: null, lanes: [...missing.values()] }));
    await catalogChanged();
  }

  async function catalogChanged(): Promise<void> {
    await catalog.refresh();
    bus.publish("catalog");
  }

  return {
    known,
    places,
    async setLimits(lane, limits) {
      if (limits.maxRunning !== null) checkCount("/maxRunning", limits.maxRunning);
      if (catalog.lane(lane) === undefined) await catalog.refresh();
      if (catalog.lane(lane) === undefined) throw new Problem("not-found", `There is no lane ${lane}`);
      await store.amend({}, () => ({ answer: null, laneLimits: [{ lane, ...limits }] }));
      await catalogChanged();
    },
  };
}
