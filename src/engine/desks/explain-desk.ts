// Why a task is not running, for somebody who may see it. What speaks for or against it is gathered here, with a few
// short questions to the database however much waits; the rule is in core/explain.ts.

import type { Principal } from "../../core/access.ts";
import { type ExplainFacts, type Explanation, explain } from "../../core/explain.ts";
import { defaultQueue, type Lane } from "../../core/lane.ts";
import { isInternal } from "../../core/name.ts";
import { parsePush } from "../../core/push.ts";
import type { JobRecord, TaskRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import { explainMessages } from "./explain-messages.ts";
import { type ExplainWorkersParts, explainWorkers, type FoundWorkers, type WorkerFact } from "./explain-workers.ts";
import { type LastAttempt, lastAttempts } from "./last-attempt.ts";
import type { TaskDesk } from "./task-desk.ts";

export interface ExplainedTask extends Explanation {
  readonly record: TaskRecord;
  readonly facts: ExplainFacts & { readonly workers: readonly WorkerFact[] };
}

export interface ExplainDesk {
  /** Throws task-not-found, also where the task is not the caller's to see. */
  explain(who: Principal, id: string): Promise<ExplainedTask>;
}

export interface ExplainDeskParts extends ExplainWorkersParts {
  readonly operations: ExplainWorkersParts["operations"] & Pick<Operations, "depths" | "targets" | "brokerLooks">;
  readonly tasks: Pick<TaskDesk, "record">;
  readonly schemas: Schemas;
}

/** What is known without a look at what hinders the task. */
type FromTask = "job" | "queue" | "labels" | "checksum" | "by" | "state" | "worker" | "runAt" | "failures";

const nobody: FoundWorkers = { workers: [], total: 0, running: null, lastSeenAt: null };

export function explainDesk(around: Surroundings, parts: ExplainDeskParts): ExplainDesk {
  const { operations, tasks, schemas } = parts;
  const { catalog, depths, targets } = operations;
  const workersFor = explainWorkers(around, parts);
  const lastAttempt = lastAttempts(around);
  const messageOf = explainMessages(around, operations);

  async function laneOf({ card }: TaskRecord): Promise<Lane | undefined> {
    if (catalog.lane(card.lane) === undefined) await catalog.refresh();
    return catalog.lane(card.lane);
  }

  /** What is against it now, or that something was when it was last looked at. */
  function refusalOf({ payload }: TaskRecord, job: JobRecord | undefined): string {
    const [fault] = job === undefined ? [] : schemas.validator(job.spec.schema)(JSON.parse(payload));
    if (fault === undefined) return "it did when it was last looked at";
    return `${fault.pointer === "" ? "the payload" : fault.pointer} ${fault.detail}`;
  }

  function pushFailure(job: JobRecord | undefined, { code, error, reason }: LastAttempt): string | null {
    const push = job?.spec.push ?? null;
    if (job === undefined || push === null) return null;
    if (reason === "push_retry_after") return "it asks for a pause";
    return code?.startsWith("push_") === true ? error : targets.failure(job.name, parsePush(push).url);
  }

  async function waiting(who: Principal, record: TaskRecord, lane: Lane | undefined) {
    const known = lane === undefined ? undefined : catalog.job(lane.job);
    const job = known?.deleted === false ? known : undefined;
    const [last, parentCancelled, position, found] = await Promise.all([
      lastAttempt(record),
      isCancelled(around, record.card.parent),
      depths.position(record),
      lane === undefined || job === undefined ? nobody : workersFor(who, lane, job),
    ]);
    const { maxRunning = null } = lane ?? {};
    return {
      ...{ parentCancelled, position, workers: found.workers, workersTotal: found.total, lastSeenAt: found.lastSeenAt },
      ...{ lastError: last.error, refusal: last.refused ? refusalOf(record, job) : null },
      jobGone: job === undefined,
      pushFailure: pushFailure(job, last),
      message: lane === undefined || job === undefined ? null : await messageOf(record, lane, job, found.workers),
      limit: maxRunning === null || found.running === null ? null : { maxRunning, running: found.running },
    };
  }

  async function factsOf(who: Principal, record: TaskRecord): Promise<ExplainedTask["facts"]> {
    const { state, worker, runAt, failures } = record.row;
    const lane = await laneOf(record);
    const { job = "", queue = defaultQueue, labels = {}, checksum = "" } = lane ?? {};
    const still: Omit<ExplainedTask["facts"], FromTask> = {
      ...{
        lastError: null,
        refusal: null,
        parentCancelled: false,
        jobGone: false,
        pushFailure: null,
        limit: null,
        message: null,
      },
      ...{ workers: [], workersTotal: 0, lastSeenAt: null, position: null },
      ...{ jobPause: catalog.pause("job", job) ?? null, queuePause: catalog.pause("queue", queue) ?? null },
      lanePaused: lane?.paused ?? false,
    };
    const known = catalog.job(job);
    const isPush = (known?.spec.push ?? null) !== null;
    return {
      ...{
        state,
        worker,
        runAt,
        failures,
        job,
        queue,
        labels,
        checksum: checksum !== "" ? checksum : known?.deleted === false ? known.checksum : null,
        by: isInternal(job) ? "servers" : isPush ? "target" : "workers",
      },
      ...still,
      ...(state === "pending" && (await waiting(who, record, lane))),
    };
  }

  return {
    async explain(who, id) {
      const record = await tasks.record(who, id);
      const facts = await factsOf(who, record);
      return { record, facts, ...explain(facts) };
    },
  };
}

async function isCancelled({ store }: Pick<Surroundings, "store">, id: string | null): Promise<boolean> {
  if (id === null) return false;
  const [parent] = await store.read("tasks", { ids: [id] });
  return parent?.row.state === "cancelled";
}
