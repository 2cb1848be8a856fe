// A request for a task, checked and turned into what is stored. Bad input costs nothing: it is refused before any row.

import { checkBytes, checkCount, checkDuration, checkId, checkInteger, checkTime } from "../core/checks.ts";
import { type Labels, type Lane, labelsMax, priorityMax, rankOf } from "../core/lane.ts";
import { checkNameLength, checkRoom } from "../core/name.ts";
import { mergePolicies, type Policy } from "../core/policy.ts";
import { badField } from "../core/problem.ts";
import type { JobRecord, NewTask } from "../ports/records.ts";
import type { EngineSettings } from "./surroundings.ts";

/** A task as it is submitted. */
export interface TaskRequest {
  /** Full name. */
  readonly job: string;
  readonly room: string;
  /** JSON text. */
  readonly payload: string;
  readonly priority?: number | undefined;
  readonly runAt?: number | null | undefined;
  readonly queue?: string | null | undefined;
  readonly labels?: Labels | undefined;
  /** A checksum other than the job's status quo. */
  readonly checksum?: string;
  readonly parent?: string | null | undefined;
  readonly retryOf?: string | null;
  readonly policy?: Policy | null | undefined;
  readonly submitter?: string | null;
  /** The level of logs wanted; null for none. */
  readonly logs?: string | null | undefined;
}

export interface Creation {
  readonly id: string;
  readonly now: number;
  readonly job: JobRecord;
  readonly lane: Lane;
  readonly settings: EngineSettings;
}

export function createdTask(request: TaskRequest, { id, now, job, lane, settings }: Creation): NewTask {
  checkRequest(request, settings);
  const { runAt = null, parent = null, retryOf = null, submitter = null } = request;
  return {
    card: {
      id,
      lane: lane.id,
      room: request.room,
      priority: -rankOf(request.priority ?? 0),
      policy: mergePolicies(request.policy ?? null, job.spec.policy),
      parent,
      retryOf,
      submitter,
      checksum: job.checksum,
      logs: request.logs === undefined ? "info" : request.logs,
      createdAt: now,
    },
    payload: request.payload,
    runAt: runAt !== null && runAt > now ? runAt : null,
  };
}

function checkRequest(request: TaskRequest, settings: EngineSettings): void {
  checkRoom(request.room);
  checkBytes("payload", request.payload, settings.payloadBytesMax);
  if (request.payload.includes("\u0000")) throw badField("/payload", "contains a NUL character");
  const { priority = 0, runAt = null, parent = null, retryOf = null } = request;
  checkInteger("/priority", priority, -priorityMax, priorityMax);
  if (runAt !== null) checkTime("/run_at", runAt);
  if (parent !== null) checkId("/parent_id", parent);
  if (retryOf !== null) checkId("/retry_of", retryOf);
  if (request.policy != null) checkPolicy(request.policy);
}

/** What decides about lanes is checked before a lane is made for it. */
export function checkLaneWords(request: Pick<TaskRequest, "queue" | "labels">): void {
  if (request.queue != null) checkNameLength("/queue", request.queue);
  const labels = Object.entries(request.labels ?? {});
  if (labels.length > labelsMax)
    throw badField("/labels", `has ${labels.length} entries, at most ${labelsMax} are allowed`);
  for (const [key, value] of labels) {
    checkNameLength("/labels", key);
    checkNameLength(`/labels/${key}`, value);
  }
}

export function checkPolicy(policy: Policy): void {
  const { timeoutMs = 0, stallMs = 0, stuckTaskMs = 0, startWithinMs = 0, maxRequeues = 0, retry = {} } = policy;
  const { maxAttempts = 1, baseMs = 0, capMs = 0 } = retry;
  const times = { timeoutMs, stallMs, stuckTaskMs, startWithinMs, "retry/baseMs": baseMs, "retry/capMs": capMs };
  for (const [key, ms] of Object.entries(times)) checkDuration(`/policy/${key}`, ms);
  checkCount("/policy/maxRequeues", maxRequeues);
  checkCount("/policy/retry/maxAttempts", maxAttempts, 1);
}
