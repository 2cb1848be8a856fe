// Worker management as its document has it: workers with function blocks, and a blackboard of jobs. Here its words become
// ours; how they travel is the door's business.

import type { Principal } from "../../core/access.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { type FleetBlocks, fleetBlocks } from "./fleet/fleet-blocks.ts";
import { type FleetJobs, type FleetJobView, fleetJobs } from "./fleet/fleet-jobs.ts";
import { type FleetLife, fleetLife } from "./fleet/fleet-life.ts";
import { fleetSight } from "./fleet/fleet-sight.ts";
import { type FleetWork, fleetWork } from "./fleet/fleet-work.ts";
import type { JobDesk } from "./job-desk.ts";
import type { Outputs } from "./outputs.ts";
import type { SubmitDesk } from "./submit-desk.ts";
import type { WorkerDesk } from "./worker-desk.ts";
import type { WorkerView } from "./worker-views.ts";

export interface FleetDesk extends FleetLife, FleetWork {
  readonly blocks: FleetBlocks;
  readonly jobs: Pick<FleetJobs, "list" | "active">;
  list(
    who: Principal,
    query: { readonly deleted?: boolean; readonly state?: "ONLINE" },
  ): Promise<readonly WorkerView[]>;
  get(who: Principal, uuid: string, deletedToo: boolean): Promise<WorkerView>;
  jobsOf(who: Principal, uuid: string, query: WorkerJobsQuery): Promise<readonly FleetJobView[]>;
  /** How often a worker is asked to ping. */
  readonly pingMs: number;
}

export interface WorkerJobsQuery {
  readonly status?: string | undefined;
  readonly deletedToo: boolean;
}

export interface FleetDeskParts {
  readonly operations: Operations;
  readonly schemas: Schemas;
  readonly workers: WorkerDesk;
  readonly submits: SubmitDesk;
  readonly outputs: Outputs;
  readonly jobs: Pick<JobDesk, "dropIfOrphaned">;
}

export function fleetDesk(around: Surroundings, parts: FleetDeskParts): FleetDesk {
  const { operations, schemas, workers, submits, outputs } = parts;
  const sight = fleetSight(around, parts);
  const jobs = fleetJobs(around, operations.catalog);
  return {
    ...fleetLife(around, { operations, workers, sight }),
    ...fleetWork(around, { operations, submits, workers, outputs, sight, jobs, ended: parts.jobs.dropIfOrphaned }),
    blocks: fleetBlocks(around, { operations, schemas, sight }),
    jobs,
    async list(who, query) {
      return (await workers.list(who, { ...query, limit: Number.MAX_SAFE_INTEGER, offset: 0 })).items;
    },
    get: sight.seen,
    async jobsOf(who, uuid, { status, deletedToo }) {
      const { worker } = await sight.seen(who, uuid, deletedToo);
      return jobs.list(who, { status, worker: worker.id });
    },
    pingMs: around.settings.profiles.fleet.beatMs,
  };
}
