// The jobs of every stage: one deep lane that holds half of all tasks, 200 lanes that share the rest evenly, and 200
// that hold nothing.

import { specChecksum } from "../src/core/checksum.ts";
import { defaultQueue } from "../src/core/lane.ts";
import type { JobRecord, Lane } from "../src/ports/records.ts";
import type { Store } from "../src/ports/store.ts";
import type { BenchSurroundings } from "./surroundings.ts";

const lanesEach = 200;

export const deepJob = "@global:bench:Deep";
export const wideJobs: readonly string[] = names("Wide");
export const emptyJobs: readonly string[] = names("Empty");

export const checksum = specChecksum({ schema: {} });

function names(word: string): string[] {
  return Array.from({ length: lanesEach }, (_, index) => `@global:bench:${word}${index}`);
}

/** Lane by job. */
export type LaneOf = ReadonlyMap<string, Lane>;

export async function makeCatalog(store: Store, { clock, ids }: BenchSurroundings): Promise<LaneOf> {
  const all = [deepJob, ...wideJobs, ...emptyJobs];
  const createdAt = clock.now();
  const jobs = all.map((name) => jobRecord(name, ids.next(), createdAt));
  const lanes = all.map((job) => ({ job, queue: defaultQueue, labels: {}, checksum: "" }));
  await store.amend({ jobs: all }, () => ({ answer: null, jobs, lanes }));
  return readLanes(store);
}

export async function readLanes(store: Store): Promise<LaneOf> {
  const { lanes } = await store.read("catalog", { after: 0 });
  return new Map(lanes.map((lane) => [lane.job, lane]));
}

export function laneIds(lanes: LaneOf, jobs: readonly string[]): number[] {
  return jobs.map((job) => laneId(lanes, job));
}

export function laneId(lanes: LaneOf, job: string): number {
  const lane = lanes.get(job);
  if (lane === undefined) throw new Error(`The stage has no lane for ${job}`);
  return lane.id;
}

function jobRecord(name: string, id: string, createdAt: number): JobRecord {
  return {
    name,
    id,
    room: "@global",
    spec: { schema: "{}", output: null, queue: null, labels: null, policy: null, push: null },
    checksum,
    source: "explicit",
    deleted: false,
    createdAt,
    checksumAt: createdAt,
    revision: 1,
  };
}
