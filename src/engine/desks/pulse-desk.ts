// How it goes, on one page: what was counted lately, what waits and why, how the fleet is, and what it has to say.

import type { Principal } from "../../core/access.ts";
import { type AlertSeverity, alertSeverities } from "../../core/alert.ts";
import type { WindowName } from "../../core/window.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { intendedCapacity } from "./capacity.ts";
import type { ExplainDesk } from "./explain-desk.ts";
import type { Flow, StatisticDesk } from "./statistic-desk.ts";
import { type ScopeQuery, statisticScopes } from "./statistic-scope.ts";
import { type WaitingLook, waitingLooks } from "./waiting-looks.ts";
import type { WorkerDesk } from "./worker-desk.ts";
import type { WorkerView } from "./worker-views.ts";

export interface PulseQuery extends ScopeQuery {
  readonly window: WindowName;
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

export interface FleetPulse extends Flow, WaitingLook {
  readonly fleet: Fleet;
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
export function pulseDesk(around: Surroundings, parts: PulseDeskParts): PulseDesk {
  const { store } = around;
  const waitingLook = waitingLooks(around, parts);
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
      const [look, alerts] = await Promise.all([
        waitingLook(who, depths),
        alertsSince(flow.span.since, isAll ? undefined : workers.map(({ worker }) => worker.id)),
      ]);
      return { ...flow, ...look, fleet: fleetOf(workers), alerts };
    },
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
    capacity: there.reduce((sum, { worker }) => sum + (intendedCapacity(worker) ?? 0), 0),
    held: there.reduce((sum, { held }) => sum + held, 0),
  };
}
