// Who may see which task: whoever may see its room, and whoever was given it, because a job may be submitted into rooms
// that its workers know nothing of. All others are told that there is no such task.

import { maySeeRoom, mayUseJob, type Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Holders } from "./holders.ts";

export interface TaskSight {
  /** Throws task-not-found. */
  record(who: Principal, id: string): Promise<TaskRecord>;
  /** The same of a record that was read already. */
  seen(who: Principal, id: string, found: TaskRecord | undefined): Promise<TaskRecord>;
  isSeen(who: Principal, id: string): Promise<boolean>;
}

export interface TaskSightParts {
  readonly catalog: Catalog;
  readonly holders: Pick<Holders, "hadIt">;
}

export function taskSight({ store }: Pick<Surroundings, "store">, { catalog, holders }: TaskSightParts): TaskSight {
  async function read(id: string): Promise<TaskRecord | undefined> {
    return (await store.read("tasks", { ids: [id] }))[0];
  }

  async function isInSight(who: Principal, found: TaskRecord | undefined): Promise<boolean> {
    return found !== undefined && (maySeeRoom(who, found.card.room) || isGiven(who, found));
  }

  /** As much as a token with these limits could have claimed. Who had it once still hears that he comes too late. */
  async function isGiven(who: Principal, task: TaskRecord): Promise<boolean> {
    const job = catalog.lane(task.card.lane)?.job;
    return job !== undefined && mayUseJob(who, job) && holders.hadIt(who, task);
  }

  async function seen(who: Principal, id: string, found: TaskRecord | undefined): Promise<TaskRecord> {
    if (await isInSight(who, found)) return found as TaskRecord;
    throw new Problem("task-not-found", `Task ${id} does not exist`);
  }

  return {
    seen,
    record: async (who, id) => seen(who, id, await read(id)),
    isSeen: async (who, id) => isInSight(who, await read(id)),
  };
}
