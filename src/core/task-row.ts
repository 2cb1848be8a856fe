// What changes about a task while it is open, and how it ends. The moves between these are in task.ts.

import type { Children } from "./family.ts";
import type { TaskEvent } from "./task-event.ts";

export const openStates = ["pending", "claimed", "running"] as const;
export const finalStates = ["completed", "failed", "cancelled"] as const;
export type OpenState = (typeof openStates)[number];
export type FinalState = (typeof finalStates)[number];
export type TaskState = OpenState | FinalState;

/** Where a task is, finer than its state: a pending one is ready or delayed, a running one in somebody's hands or deferred. */
export const stages = ["ready", "delayed", "claimed", "running", "deferred", ...finalStates] as const;
export type Stage = (typeof stages)[number];

export interface Progress {
  readonly current: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** What changes about a task while it is open. Times are milliseconds since 1970. */
export interface TaskRow {
  readonly id: string;
  readonly state: TaskState;
  readonly version: number;
  /** Rises with every claim and is never used again; with the worker it is the fence. */
  readonly attempt: number;
  readonly failures: number;
  readonly losses: number;
  readonly worker: string | null;
  /** Not before then; null once it is ready. */
  readonly runAt: number | null;
  readonly claimedAt: number | null;
  readonly startedAt: number | null;
  /** A lease of the task's own; most tasks live by their worker's session instead. */
  readonly leasedUntil: number | null;
  /** When the sweeper must look at it next. */
  readonly dueAt: number | null;
  readonly activeAt: number;
  readonly progress: Progress | null;
  /** Null until a child has settled or the task has deferred. */
  readonly children: Children | null;
  readonly checkpoint: string | null;
}

export interface Failure {
  readonly message: string;
  readonly code: string | null;
  /** JSON text. */
  readonly details: string | null;
}

/** How a task ended. Written once. */
export interface Outcome {
  readonly state: FinalState;
  readonly result: string | null;
  readonly error: Failure | null;
  readonly finishedAt: number;
  /** By which failures that are alike are known; see fingerprint.ts. Absent where nothing failed. */
  readonly fingerprint?: string;
}

export function isFinal(state: TaskState): state is FinalState {
  return (finalStates as readonly TaskState[]).includes(state);
}

export function isDeferred(task: Pick<TaskRow, "state" | "worker">): boolean {
  return task.state === "running" && task.worker === null;
}

export function stageOf(task: Pick<TaskRow, "state" | "worker" | "runAt">): Stage {
  if (task.state === "pending") return task.runAt === null ? "ready" : "delayed";
  return isDeferred(task) ? "deferred" : task.state;
}

/** Where tasks of this state may be. */
export function stagesIn(state: TaskState): readonly Stage[] {
  if (state === "pending") return ["ready", "delayed"];
  return state === "running" ? ["running", "deferred"] : [state];
}

/** In nobody's hands. */
export const nobody = {
  worker: null,
  claimedAt: null,
  startedAt: null,
  leasedUntil: null,
  dueAt: null,
  progress: null,
} as const;

/** A task as it is submitted. */
export function newTaskRow(id: string, now: number, runAt: number | null): TaskRow {
  return {
    ...nobody,
    id,
    state: "pending",
    version: 1,
    attempt: 0,
    failures: 0,
    losses: 0,
    runAt: runAt !== null && runAt > now ? runAt : null,
    activeAt: now,
    children: null,
    checkpoint: null,
  };
}

export function submittedEvent(task: TaskRow): TaskEvent {
  const data = task.runAt === null ? null : JSON.stringify({ runAt: task.runAt });
  const { id, version, activeAt, state, attempt } = task;
  return { task: id, version, at: activeAt, type: "task.submitted", state, attempt, worker: null, data };
}
