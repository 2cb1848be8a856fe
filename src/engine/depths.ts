// How much waits where. Counting a million rows is not for a request, so counts are cached and flagged as estimates;
// what must be exact (a queue position up to a thousand) is counted within a bound.

import { rankOf } from "../core/lane.ts";
import { Problem } from "../core/problem.ts";
import { uuid7Time } from "../core/uuid7.ts";
import type { TaskCard, TaskRecord } from "../ports/records.ts";
import { type LaneDepth, positionMax } from "../ports/store-reads.ts";
import type { Catalog } from "./catalog.ts";
import { places } from "./places.ts";
import type { Surroundings } from "./surroundings.ts";

export interface QueuePosition {
  readonly position: number;
  readonly exact: boolean;
}

export interface Depths {
  /** Cached; counted again at most every few seconds, and only if asked for. */
  lanes(): Promise<readonly LaneDepth[]>;
  /** Rank in claim order within the job, from 1; null unless it is ready. A promise only where it has to be counted. */
  position(task: TaskRecord): QueuePosition | null | Promise<QueuePosition>;
  /** Throws when the job has as many pending tasks as it may, by the last count and what was added since. */
  checkLimit(job: string, adding: number): void;
}

const staleMs = 5_000;

/** To count exactly is a look at each lane; a job with more of them is shown estimates. */
const countedLanesMax = 100;

export function depths({ store, clock, settings }: Surroundings, catalog: Catalog): Depths {
  const counted = places(store);
  let cached: readonly LaneDepth[] = [];
  let byLane: ReadonlyMap<number, LaneDepth> = new Map();
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | null = null;
  const addedSince = new Map<string, number>();

  async function lanes(): Promise<readonly LaneDepth[]> {
    if (clock.now() - countedAt >= staleMs) {
      counting ??= count().finally(() => {
        counting = null;
      });
      await counting;
    }
    return cached;
  }

  async function count(): Promise<void> {
    addedSince.clear();
    cached = await store.read("depths", {});
    byLane = new Map(cached.map((depth) => [depth.lane, depth]));
    countedAt = clock.now();
  }

  /** For those who need no answer, and may be a thousand at once. */
  function countIfStale(): void {
    if (clock.now() - countedAt >= staleMs) void lanes().catch(() => {});
  }

  function position({ card, row }: TaskRecord): QueuePosition | null | Promise<QueuePosition> {
    if (row.state !== "pending" || row.runAt !== null) return null;
    const job = catalog.lane(card.lane)?.job;
    const among = job === undefined ? [card.lane] : catalog.lanesOfJob(job);
    if (card.priority <= 0 && isFarBehind(among, card.id)) {
      return { position: Math.max(positionMax + 1, estimate(among, card.id)), exact: false };
    }
    if (among.length > countedLanesMax) return { position: Math.max(1, estimate(among, card.id)), exact: false };
    return positionAmong(card, among);
  }

  async function positionAmong({ id, priority }: TaskCard, among: readonly number[]): Promise<QueuePosition> {
    const found = await counted.of({ id, rank: rankOf(priority), lanes: among });
    return found.exact ? found : { position: Math.max(found.position, estimate(among, id)), exact: false };
  }

  /** Came after the last count, which found so many that nobody needs to count again to know: too many. */
  function isFarBehind(among: readonly number[], id: string): boolean {
    countIfStale();
    const ready = among.reduce((sum, lane) => sum + (byLane.get(lane)?.ready ?? 0), 0);
    return ready > 3 * positionMax && uuid7Time(id) >= countedAt;
  }

  /** Where between the oldest and now its age puts it, of as many as were last counted. */
  function estimate(among: readonly number[], id: string): number {
    return among.reduce((sum, lane) => sum + shareAhead(byLane.get(lane), id), 0);
  }

  function shareAhead(depth: LaneDepth | undefined, id: string): number {
    if (depth === undefined || depth.oldestId === null) return 0;
    const { ready, oldestId } = depth;
    const oldest = uuid7Time(oldestId);
    const share = (uuid7Time(id) - oldest) / Math.max(1, countedAt - oldest);
    return Math.round(ready * Math.min(1, Math.max(0, share)));
  }

  function checkLimit(job: string, adding: number): void {
    const most = settings.pendingPerJobMax;
    if (most === null) return;
    countIfStale();
    const before = catalog.lanesOfJob(job).reduce((sum, lane) => sum + waitingIn(byLane.get(lane)), 0);
    const pending = before + (addedSince.get(job) ?? 0);
    if (pending + adding > most) {
      throw new Problem("too-many-pending", `Job '${job}' has ${pending} pending tasks; at most ${most} are allowed`);
    }
    addedSince.set(job, (addedSince.get(job) ?? 0) + adding);
  }

  return { lanes, position, checkLimit };
}

function waitingIn(depth: LaneDepth | undefined): number {
  return depth === undefined ? 0 : depth.ready + depth.delayed;
}
