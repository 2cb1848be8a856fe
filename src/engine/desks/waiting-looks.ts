// What waits, since when and why, by one look: how many tasks are ready is counted every few seconds only, so the oldest of
// each lane is looked at again, and one that was taken meanwhile is not said to wait.

import type { Principal } from "../../core/access.ts";
import type { ExplainCause } from "../../core/explain.ts";
import { Problem } from "../../core/problem.ts";
import type { LaneDepth } from "../../ports/store-reads.ts";
import { recently } from "../recently.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ExplainDesk } from "./explain-desk.ts";
import { readySince } from "./ready-since.ts";

export interface Waiting extends Omit<LaneDepth, "lane" | "oldestId"> {
  readonly oldestReadyAt: number | null;
  readonly oldestTask: string | null;
}

/** Why tasks of a job wait that are ready. */
export interface WaitReason {
  readonly cause: ExplainCause;
  readonly sentence: string;
  readonly tasks: number;
  readonly job: string;
}

export interface WaitingLook {
  readonly waiting: Waiting;
  readonly reasons: readonly WaitReason[];
}

/** The oldest of a lane, as it was found. */
interface OldestLook {
  readonly task: string;
  readonly lane: number;
  readonly readyAt: number;
  readonly reason: WaitReason;
}

/** So many lanes, those with most tasks and those with the oldest, are asked why they wait; so many reasons are told. */
const fullestMax = 20;
const oldestMax = 5;
const reasonsMax = 5;
/** To explain is a look at each worker, so many who watch share one. */
const sharedMs = 5_000;

export function waitingLooks(around: Surroundings, { explains }: { readonly explains: Pick<ExplainDesk, "explain"> }) {
  const shared = recently<readonly OldestLook[]>({ clock: around.clock, ms: sharedMs });
  const since = readySince(around);

  /** What keeps the oldest task of a lane mostly keeps those behind it. Null where it does not wait any more. */
  async function oldestOf(who: Principal, { lane, ready, oldestId }: LaneDepth): Promise<OldestLook | null> {
    const task = oldestId as string;
    try {
      const [{ record, facts, cause, sentence }, readyAt] = await Promise.all([
        explains.explain(who, task),
        since(task),
      ]);
      if (record.row.state !== "pending" || readyAt === null) return null;
      return { task, lane, readyAt, reason: { cause, sentence, tasks: ready, job: facts.job } };
    } catch (error) {
      // It has been removed since, or is not in sight.
      if (!(error instanceof Problem && error.code === "task-not-found")) throw error;
      return null;
    }
  }

  async function look(who: Principal, lanes: readonly LaneDepth[]): Promise<readonly OldestLook[]> {
    return (await Promise.all(lanes.map((each) => oldestOf(who, each)))).filter((each) => each !== null);
  }

  return async function waitingLook(who: Principal, depths: readonly LaneDepth[]): Promise<WaitingLook> {
    const lanes = telling(depths);
    // Depths themselves are counted every few seconds.
    const key = JSON.stringify([who.user, who.rooms, who.jobs, lanes]);
    const found = await shared(key, () => look(who, lanes));
    const waits = new Set(found.map(({ lane }) => lane));
    const taken = new Set(lanes.map(({ lane }) => lane).filter((lane) => !waits.has(lane)));
    return { waiting: waitingOf(depths, taken, found), reasons: summedUp(found.map(({ reason }) => reason)) };
  };
}

/** The lanes that are worth a look. */
function telling(depths: readonly LaneDepth[]): readonly LaneDepth[] {
  const waiting = depths.filter(({ oldestId }) => oldestId !== null);
  const fullest = waiting.toSorted((a, b) => b.ready - a.ready).slice(0, fullestMax);
  const oldest = waiting.toSorted((a, b) => ((a.oldestId ?? "") < (b.oldestId ?? "") ? -1 : 1)).slice(0, oldestMax);
  return [...new Set([...fullest, ...oldest])];
}

function waitingOf(depths: readonly LaneDepth[], taken: ReadonlySet<number>, found: readonly OldestLook[]): Waiting {
  const sum = (of: (depth: LaneDepth) => number): number => depths.reduce((all, depth) => all + of(depth), 0);
  const [oldest] = found.toSorted((a, b) => a.readyAt - b.readyAt);
  return {
    ready: sum(({ ready, lane }) => (taken.has(lane) ? Math.max(0, ready - 1) : ready)),
    delayed: sum(({ delayed }) => delayed),
    held: sum(({ held }) => held),
    deferred: sum(({ deferred }) => deferred),
    oldestReadyAt: oldest?.readyAt ?? null,
    oldestTask: oldest?.task ?? null,
  };
}

function summedUp(reasons: readonly WaitReason[]): WaitReason[] {
  const together = Map.groupBy(reasons, ({ cause, job }) => `${cause} ${job}`);
  const sums = [...together.values()].map((same) => {
    return { ...(same[0] as WaitReason), tasks: same.reduce((sum, { tasks }) => sum + tasks, 0) };
  });
  return sums.sort((a, b) => b.tasks - a.tasks).slice(0, reasonsMax);
}
