// A last look at what was claimed, before anybody sees it. Between the choice of a worker's lanes and the commit of its
// claim, or on another server, the registered specs may have changed: a task is handed out only to a worker that is fit
// for what is registered now, and only with a payload that it admits. What does not fit goes back, and nothing counts
// against it.

import { refusedDelayMs } from "../core/policy.ts";
import type { ClaimedTask, JobRecord, OpenTask } from "../ports/records.ts";
import type { Schemas } from "../ports/schemas.ts";
import type { Catalog, LaneSet } from "./catalog.ts";
import type { GivingBack } from "./giving-back.ts";

export interface Fitness {
  /** Those that fit; the others are on their way back. */
  fit(
    worker: string,
    tasks: readonly ClaimedTask[],
    lanes: LaneSet,
  ): readonly ClaimedTask[] | Promise<readonly ClaimedTask[]>;
  /** Why the payload is refused by what is registered now; null where it is not. */
  refusal(task: Pick<ClaimedTask, "card" | "payload">): string | null;
}

export interface FitnessParts {
  readonly catalog: Catalog;
  readonly givingBack: Pick<GivingBack, "give">;
  /** Null: payloads are not looked at. */
  readonly schemas: Schemas | null;
}

/** In the history of a task whose payload waits for another spec. */
export const payloadRefused = "payload_refused";
/** In the history of a task of which nobody could tell whether its worker is fit for it. */
const notLookedAt = "not_looked_at";
/** Pairs of spec and checksum that are known to be of an older spec. */
const knownMax = 10_000;

export function fitness({ catalog, givingBack, schemas }: FitnessParts): Fitness {
  const older = new Set<string>();

  const jobOf = ({ card }: Pick<OpenTask, "card">): JobRecord | undefined =>
    catalog.job(catalog.lane(card.lane)?.job ?? "");

  /** Made for what is registered, as far as this server knows. */
  const isCurrent = (task: ClaimedTask): boolean => jobOf(task)?.checksum === task.card.checksum;

  /** One that was made for a spec which this server has not heard of may be newer than what it knows. */
  function mayBeNewer(task: ClaimedTask): boolean {
    const job = jobOf(task);
    return job === undefined || !older.has(pairOf(job, task));
  }

  const pairOf = ({ name, revision }: JobRecord, { card }: ClaimedTask): string =>
    `${name} ${revision} ${card.checksum}`;

  async function lookAgain(worker: string, tasks: readonly ClaimedTask[]): Promise<readonly ClaimedTask[]> {
    try {
      await catalog.refresh();
    } catch {
      // Whoever notices that the database is away says so elsewhere. Here are tasks that nobody else knows of.
      return tasks.filter((task) => letGo(task, notLookedAt, 0));
    }
    if (older.size > knownMax) older.clear();
    for (const task of tasks) {
      const job = jobOf(task);
      if (job !== undefined && job.checksum !== task.card.checksum) older.add(pairOf(job, task));
    }
    return sorted(worker, tasks);
  }

  function sorted(worker: string, tasks: readonly ClaimedTask[]): readonly ClaimedTask[] {
    const served = new Set(catalog.laneSetOf(worker).lanes);
    return tasks.filter((task) => {
      if (!served.has(task.card.lane)) return letGo(task, "not_served", 0);
      if (isCurrent(task) || refusal(task) === null) return true;
      return letGo(task, payloadRefused, refusedDelayMs(task.row.attempt));
    });
  }

  function refusal(task: Pick<ClaimedTask, "card" | "payload">): string | null {
    const job = jobOf(task);
    if (schemas === null || job === undefined || job.checksum === task.card.checksum) return null;
    const [fault] = schemas.validator(job.spec.schema)(JSON.parse(task.payload));
    return fault === undefined ? null : `${fault.pointer === "" ? "The payload" : fault.pointer} ${fault.detail}`;
  }

  function letGo(task: ClaimedTask, reason: string, delayMs: number): false {
    givingBack.give(task, reason, delayMs);
    return false;
  }

  return {
    fit(worker, tasks, lanes) {
      const isKnown = catalog.laneSetOf(worker) === lanes;
      if (isKnown && tasks.every(isCurrent)) return tasks;
      if (catalog.worker(worker) === undefined) return tasks;
      return tasks.some((task) => !isCurrent(task) && mayBeNewer(task))
        ? lookAgain(worker, tasks)
        : sorted(worker, tasks);
    },
    refusal,
  };
}
