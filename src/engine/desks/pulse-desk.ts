// How it goes, on one page: what was counted lately, what waits and why, how the fleet is, and what it has to say.

import type { Principal } from "../../core/access.ts";
import { type AlertSeverity, alertSeverities } from "../../core/alert.ts";
import type { ExplainCause } from "../../core/explain.ts";
import { Problem } from "../../core/problem.ts";
import { uuid7Time } from "../../core/uuid7.ts";
import type { WindowName } from "../../core/window.ts";
import type { LaneDepth } from "../../ports/store-reads.ts";
import type { Operations } from "../engine.ts";
import { recently } from "../recently.ts";
import type { Surroundings } from "../surroundings.ts";
import type { ExplainDesk } from "./explain-desk.ts";
import { capacityOf } from "./explain-workers.ts";
import { type Flow, oldestOf, type StatisticDesk } from "./statistic-desk.ts";
import { type ScopeQuery, statisticScopes } from "./statistic-scope.ts";
import type { WorkerDesk } from "./worker-desk.ts";
import type { WorkerView } from "./worker-views.ts";

export interface PulseQuery extends ScopeQuery {
  readonly window: WindowName;
}

export interface Waiting extends Omit<LaneDepth, "lane" | "oldestId"> {
  readonly oldestReadyAt: number | null;
  readonly oldestTask: string | null;
}

/** What is said of capacity and load is of those that are not offline. */
export interface Fleet {
  readonly online: number;
  readonly unreachable: number;
  readonly offline: number;
  readonly paused: number;
  readonly draining: number;
  readonly deaf: number;
  readonly capacity: number;
  readonly held: number;
}

/** Why tasks of a job wait that are ready. */
export interface WaitReason {
  readonly cause: ExplainCause;
  readonly sentence: string;
  readonly tasks: number;
  readonly job: string;
}

export interface FleetPulse extends Flow {
  readonly waiting: Waiting;
  readonly fleet: Fleet;
  readonly reasons: readonly WaitReason[];
  readonly alerts: Readonly<Record<AlertSeverity, number>>;
}

export interface PulseDesk {
  pulse(who: Principal, query: PulseQuery): Promise<FleetPulse>;
}

export interface PulseDeskParts {
  readonly operations: Pick<Operations, "catalog" | "depths">;
  readonly statistics: Pick<StatisticDesk, "flow">;
  readonly workers: Pick<WorkerDesk, "list">;
  readonly explains: Pick<ExplainDesk, "explain">;
}

/** Of very many workers the newest are looked at. */
const workersMax = 5_000;
/** So many lanes, those with most tasks, are asked why they wait; so many reasons are told. */
const lanesMax = 20;
const reasonsMax = 5;
/** To explain is a look at each worker, so many who watch share one. */
const reasonsMs = 5_000;

export function pulseDesk(around: Surroundings, parts: PulseDeskParts): PulseDesk {
  const { store, clock } = around;
  const shared = recently<readonly WaitReason[]>({ clock, ms: reasonsMs });
  const scopes = statisticScopes(around, parts.operations);

  /** One that may see every worker and asks for no less is told of alerts of those that are gone, too. */
  async function alertsSince(since: number, workers: readonly string[] | undefined): Promise<FleetPulse["alerts"]> {
    const some = workers === undefined ? {} : { workers };
    const counts = alertSeverities.map(async (severity) => {
      const { total } = await store.read("alerts", { severity, since, ...some, limit: 0, offset: 0 });
      return [severity, total] as const;
    });
    return Object.fromEntries(await Promise.all(counts)) as Record<AlertSeverity, number>;
  }

  /** What keeps the oldest task of a lane mostly keeps those behind it. */
  async function reasonOf(who: Principal, { ready, oldestId }: LaneDepth): Promise<WaitReason[]> {
    try {
      const { record, facts, cause, sentence } = await parts.explains.explain(who, oldestId as string);
      return record.row.state === "pending" ? [{ cause, sentence, tasks: ready, job: facts.job }] : [];
    } catch (error) {
      // It has been removed since, or is not in sight.
      if (!(error instanceof Problem && error.code === "task-not-found")) throw error;
      return [];
    }
  }

  async function reasonsFor(who: Principal, depths: readonly LaneDepth[]): Promise<readonly WaitReason[]> {
    const waiting = depths.filter(({ oldestId }) => oldestId !== null).sort((a, b) => b.ready - a.ready);
    const fullest = waiting.slice(0, lanesMax);
    // Depths themselves are counted every few seconds.
    const key = JSON.stringify([who.user, who.rooms, who.jobs, fullest]);
    return shared(key, async () => summedUp((await Promise.all(fullest.map((each) => reasonOf(who, each)))).flat()));
  }

  return {
    async pulse(who, { window, room, job }) {
      const asked = { room, job };
      const scope = scopes.of(who, asked);
      const [flow, depths, found] = await Promise.all([
        parts.statistics.flow(who, { window, ...asked }),
        scopes.depths(scope),
        parts.workers.list(who, { room, limit: workersMax, offset: 0 }),
      ]);
      const workers = job === undefined ? found.items : found.items.filter(({ worker }) => worker.jobs.has(job));
      const isAll = who.rooms === null && room === undefined && job === undefined;
      const [reasons, alerts] = await Promise.all([
        reasonsFor(who, depths),
        alertsSince(flow.span.since, isAll ? undefined : workers.map(({ worker }) => worker.id)),
      ]);
      return { ...flow, waiting: waitingOf(depths), fleet: fleetOf(workers), reasons, alerts };
    },
  };
}

function summedUp(reasons: readonly WaitReason[]): WaitReason[] {
  const together = Map.groupBy(reasons, ({ cause, job }) => `${cause} ${job}`);
  const sums = [...together.values()].map((same) => {
    return { ...(same[0] as WaitReason), tasks: same.reduce((sum, { tasks }) => sum + tasks, 0) };
  });
  return sums.sort((a, b) => b.tasks - a.tasks).slice(0, reasonsMax);
}

function waitingOf(depths: readonly LaneDepth[]): Waiting {
  const sum = (of: (depth: LaneDepth) => number): number => depths.reduce((all, depth) => all + of(depth), 0);
  const oldest = oldestOf(depths);
  return {
    ready: sum(({ ready }) => ready),
    delayed: sum(({ delayed }) => delayed),
    held: sum(({ held }) => held),
    deferred: sum(({ deferred }) => deferred),
    oldestReadyAt: oldest === null ? null : uuid7Time(oldest),
    oldestTask: oldest,
  };
}

function fleetOf(workers: readonly WorkerView[]): Fleet {
  const there = workers.filter(({ state }) => state !== "OFFLINE");
  const count = (those: readonly WorkerView[], is: (view: WorkerView) => boolean): number => those.filter(is).length;
  return {
    online: count(there, ({ state }) => state === "ONLINE"),
    unreachable: count(there, ({ state }) => state === "UNREACHABLE"),
    offline: workers.length - there.length,
    paused: count(there, ({ paused }) => paused),
    draining: count(there, ({ worker }) => worker.draining),
    deaf: count(there, ({ deaf }) => deaf),
    capacity: there.reduce((sum, { worker }) => sum + (capacityOf(worker) ?? 0), 0),
    held: there.reduce((sum, { held }) => sum + held, 0),
  };
}
