// Submitting, by someone: into rooms and for jobs that are his to use, with payloads that look as the job says.

import { type Principal, requireJob, requireRoom, requireWrite } from "../../core/access.ts";
import { checkBytes } from "../../core/checks.ts";
import { checkRoom, isInternal } from "../../core/name.ts";
import type { Policy } from "../../core/policy.ts";
import { Problem } from "../../core/problem.ts";
import { mayRemove } from "../../core/task-rights.ts";
import { isFinal } from "../../core/task-row.ts";
import type { JobRecord, TaskRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Store } from "../../ports/store.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Operations } from "../engine.ts";
import type { Executors } from "../executors/executors.ts";
import type { SubmitOptions } from "../submit.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskRequest } from "../task-request.ts";
import { missingOperations } from "./missing-operations.ts";
import { type Payload, payloadChecks } from "./payload-checks.ts";
import { runnableJobs } from "./runnable-jobs.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { TaskSight } from "./task-sight.ts";
import type { TaskView, TaskViews } from "./task-views.ts";
import { stillOpen, tellingAgain } from "./telling-again.ts";

export interface DeskTask extends Payload {
  /** Full name. */
  readonly job: string;
  readonly priority?: number | undefined;
  readonly runAt?: number | null;
  readonly queue?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly parent?: string | null;
  readonly policy?: Policy | null;
  readonly logs?: string | null | undefined;
}

/** Which route it came by, so that keys of different routes do not meet. */
export interface RequestKey {
  readonly route: string;
  readonly key: string;
  readonly bodyHash: string;
}

export interface SubmitDesk {
  /** All or none. `pointer` says where in the request the nth task stands. */
  submit(who: Principal, room: string, tasks: readonly DeskTask[], how: SubmitHow): Promise<readonly TaskView[]>;
  /** Runs a final task again, as a new one. A ready one of a broker's queue is told to it again: its message may be lost. */
  retry(who: Principal, id: string, act?: ActKey): Promise<TaskView>;
  /** Removes a final task with its history. */
  remove(who: Principal, id: string): Promise<void>;
}

/** One of many that are retried by the same act, which stands in the audit as a whole: once under this key. */
export type ActKey = NonNullable<SubmitOptions["key"]>;

export interface SubmitHow {
  readonly key?: RequestKey | undefined;
  pointer(nth: number): string;
}

export interface SubmitDeskParts {
  readonly operations: Pick<Operations, "submit" | "override" | "catalog" | "jobs">;
  readonly tasks: TaskDesk;
  readonly sight: TaskSight;
  readonly views: TaskViews;
  readonly schemas: Schemas;
  /** The executors inside this server, where it has any. */
  readonly executors?: Pick<Executors, "dispatch" | "handedOut"> | undefined;
}

export function submitDesk(around: Surroundings, parts: SubmitDeskParts): SubmitDesk {
  const { store, settings } = around;
  const { operations, tasks, sight, views } = parts;
  const { catalog } = operations;
  const { knownJobs, jobNamed, jobsNamed } = runnableJobs(catalog);
  const tellAgain = tellingAgain(around, parts);
  const makeOperations = missingOperations(around, operations);
  const checkPayloads = payloadChecks(parts.schemas);

  async function submit(who: Principal, room: string, wanted: readonly DeskTask[], how: SubmitHow) {
    checkRoom(room);
    requireWrite(who);
    requireRoom(who, room);
    for (const { job } of wanted) requireJob(who, job);
    const key = how.key && { ...how.key, scope: `${who.user} ${how.key.route}` };
    let checked: readonly JobRecord[] = [];
    try {
      // What is too large is refused before it costs a check.
      for (const { payload } of wanted) checkBytes("payload", payload, settings.payloadBytesMax);
      const known = knownJobs(wanted);
      if (known === null) await makeOperations(who, wanted);
      const jobs = known ?? (await jobsNamed(wanted));
      checkPayloads(jobs, wanted, how.pointer);
      if (who.rooms !== null) await checkParents(who, wanted);
      checked = jobs;
    } catch (refusal) {
      // What was accepted once is answered again, whatever became of the job since.
      if (key === undefined || (await store.read("key", key)) === null) throw refusal;
    }
    const requests = wanted.map((task) => requestOf(task, room, who.user));
    const fits = (jobs: readonly JobRecord[]): void => {
      if (jobs.some(({ checksum }, nth) => checksum !== checked[nth]?.checksum))
        checkPayloads(jobs, wanted, how.pointer);
    };
    const records = await operations.submit(requests, { fits, ...(key && { key }) });
    return views.views(await dispatched(parts.executors, wanted, records));
  }

  /** A parent out of sight is none. */
  async function checkParents(who: Principal, wanted: readonly DeskTask[]): Promise<void> {
    for (const id of new Set(wanted.flatMap(({ parent }) => parent ?? []))) {
      if (await sight.isSeen(who, id)) continue;
      throw new Problem("parent-closed", `Parent task ${id} does not exist or is final`);
    }
  }

  async function retry(who: Principal, id: string, key?: ActKey): Promise<TaskView> {
    const view = await tasks.get(who, id);
    const { record, job, queue } = view;
    const { card } = record;
    requireWrite(who);
    requireRoom(who, card.room);
    requireJob(who, job);
    if (!isFinal(record.row.state)) return tellAgain(who, view);
    await jobNamed(job);
    // Where the job asks for something else by now, so does the new task.
    const labels = { ...catalog.lane(card.lane)?.labels, ...catalog.job(job)?.spec.labels };
    const request = {
      ...{ job, room: card.room, payload: record.payload, priority: card.priority, queue, labels },
      ...{ policy: card.policy, logs: card.logs, submitter: who.user, retryOf: id },
      parent: await openParent(store, record),
    };
    const act = { action: "task.retry", kind: "task", target: id };
    const submitted = await operations.submit([request], {
      fits: (jobs) => checkAgain(jobs, record),
      ...(key === undefined
        ? { audit: ([task]) => auditEntry(around, who, { ...act, data: { task_id: task } }) }
        : { key }),
    });
    const [task] = await dispatched(parts.executors, [{ job }], submitted);
    return views.view(task as TaskRecord);
  }

  /** A payload that was good for what is registered now is good. */
  function checkAgain(jobs: readonly JobRecord[], { card, payload }: TaskRecord): void {
    if (jobs.every(({ checksum }) => checksum === card.checksum)) return;
    checkPayloads(jobs, [{ payload, read: JSON.parse(payload) }], () => "");
  }

  async function remove(who: Principal, id: string): Promise<void> {
    const { card, row } = await tasks.record(who, id);
    requireRoom(who, card.room);
    if (!mayRemove(who, card)) throw new Problem("forbidden", `Task ${id} was submitted by someone else`);
    if (!isFinal(row.state)) throw stillOpen(id);
    const job = catalog.lane(card.lane)?.job ?? null;
    const audit = auditEntry(around, who, {
      ...{ action: "task.delete", kind: "task", target: id },
      data: { job, room_id: card.room, status: row.state },
    });
    await store.prune({ tasks: [id], audit: [audit], ...nothingElse, limit: 1 });
  }

  return { submit, retry, remove };
}

/** A parent that has ended does not wait for it. */
async function openParent(store: Store, { card }: TaskRecord): Promise<string | null> {
  if (card.parent === null) return null;
  const [parent] = await store.read("tasks", { ids: [card.parent] });
  return parent === undefined || isFinal(parent.row.state) ? null : card.parent;
}

const nothingElse = {
  finishedBefore: null,
  keysBefore: 0,
  workerEventsBefore: null,
  auditBefore: null,
  workersBefore: null,
  sessionsBefore: null,
};

/** What runs inside the server is handed to it before the answer, which then tells what became of that. */
function dispatched(
  executors: SubmitDeskParts["executors"],
  wanted: readonly Pick<DeskTask, "job">[],
  records: readonly TaskRecord[],
): readonly TaskRecord[] | Promise<readonly TaskRecord[]> {
  if (executors === undefined || !wanted.some(({ job }) => isInternal(job))) return records;
  return handedOut(executors, records);
}

async function handedOut(
  executors: NonNullable<SubmitDeskParts["executors"]>,
  records: readonly TaskRecord[],
): Promise<readonly TaskRecord[]> {
  await executors.dispatch();
  return records.map((record) => {
    const out = executors.handedOut(record.card.id);
    return out !== undefined && out.row.version > record.row.version ? { ...record, ...out } : record;
  });
}

/** Word by word: copying all but one member of an object takes many times as long. */
function requestOf(task: DeskTask, room: string, submitter: string): TaskRequest {
  const { job, payload, priority, runAt, queue, labels, parent, policy, logs } = task;
  return { job, room, payload, priority, runAt, queue, labels, parent, policy, submitter, logs };
}
