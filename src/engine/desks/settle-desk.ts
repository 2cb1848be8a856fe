// Changing a task that is in somebody's hands: the documents' matrix, and what we offer beside it.

import { type Principal, requireWrite } from "../../core/access.ts";
import { checkHolder, type Holder, type Proof } from "../../core/lease.ts";
import { profileOf } from "../../core/liveness.ts";
import type { OperationMessage } from "../../core/messages.ts";
import { Problem } from "../../core/problem.ts";
import type { ProgressReport } from "../../core/progress.ts";
import { checkLegal, type Move } from "../../core/task.ts";
import { isSubmitter, mayCancel } from "../../core/task-rights.ts";
import { isFinal, type TaskState } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { MovedTask } from "../folding.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Holders } from "./holders.ts";
import type { Outputs } from "./outputs.ts";
import { taskActs } from "./task-acts.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { TaskView, TaskViews } from "./task-views.ts";

export interface Update extends Proof {
  readonly status: TaskState;
  readonly error: string | null;
  readonly errorCode: string | null;
  /** JSON text. */
  readonly errorDetails: string | null;
  /** Where it failed: false, and no policy grants another attempt. */
  readonly retryable?: boolean;
  /** JSON text. */
  readonly result: string | null;
}

export interface SettleDesk {
  update(who: Principal, id: string, update: Update): Promise<TaskView>;
  release(who: Principal, id: string, how: Proof & ReleaseWords): Promise<TaskView>;
  defer(who: Principal, id: string, how: Proof & DeferWords): Promise<TaskView>;
  extend(who: Principal, id: string, how: Proof & ExtendWords): Promise<TaskView>;
  progress(who: Principal, id: string, report: Proof & ProgressReport): Promise<void>;
  /** By whoever submitted it, owns the worker that holds it, or is a superuser. */
  cancel(who: Principal, id: string, act?: CancelAct): Promise<{ readonly view: TaskView; readonly children: number }>;
}

/** One of many that are cancelled by the same act, which stands in the audit as a whole. */
export interface CancelAct {
  readonly reason: string;
  readonly note: string | null;
}

export interface ReleaseWords {
  readonly delayMs: number;
  /** For the history. */
  readonly reason: string;
  /** JSON text. */
  readonly checkpoint: string | null;
}

export interface ExtendWords {
  /** Null: as long as the lease of the holder's profile, and a minute at least. */
  readonly leaseMs: number | null;
}

export interface DeferWords {
  /** Of children and messages together. */
  readonly total: number;
  /** Told to their queues with the same commit. */
  readonly messages?: readonly OperationMessage[];
}

export interface SettleDeskParts {
  readonly operations: Pick<
    Operations,
    "settle" | "refuse" | "override" | "cancel" | "extend" | "progress" | "catalog"
  >;
  readonly tasks: TaskDesk;
  readonly views: TaskViews;
  readonly holders: Holders;
  readonly outputs: Outputs;
  /** A job whose last task ended may have nobody left. */
  ended(task: TaskView): Promise<void>;
}

const leaseMsLeast = 60_000;

export function settleDesk(
  around: Pick<Surroundings, "ids" | "clock" | "settings">,
  parts: SettleDeskParts,
): SettleDesk {
  const { operations, tasks, views, holders, outputs } = parts;
  const acts = taskActs(around, holders);

  async function taskFor(who: Principal, id: string): Promise<TaskRecord> {
    const task = await tasks.record(who, id);
    requireWrite(who);
    return task;
  }

  async function update(who: Principal, id: string, update: Update): Promise<TaskView> {
    const task = await taskFor(who, id);
    const isWithdrawn = update.status === "cancelled" && isSubmitter(who, task.card) && !isProof(update);
    const after = isWithdrawn
      ? (await operations.cancel(acts.cancel(who, id, update.error || null))).task
      : await move(who, task, update, () => moveOf(task, update));
    const view = await views.view({ payload: task.payload, ...after });
    if (view.record.outcome !== null) await parts.ended(view);
    return view;
  }

  /** Who may not speak is told so before he is told whether it would be legal. */
  async function move(who: Principal, task: TaskRecord, proof: Proof, choose: () => Move): Promise<MovedTask> {
    const { id } = task.card;
    const holder = await holders.of(who, task, proof).catch((error: unknown) => unproven(task, choose, error));
    const chosen = choose();
    // Whoever is too late hears that he is, whatever his result looks like.
    if (chosen.type === "complete" && !isOver(task, holder)) outputs.check(task, chosen.result);
    if (holder === "override") return operations.override(id, who.user, chosen, await acts.override(who, task, chosen));
    return operations.settle(id, holder, chosen);
  }

  /** Which attempt was meant is not known, so it stands with the present one. */
  async function unproven({ card, row }: TaskRecord, choose: () => Move, error: unknown): Promise<never> {
    if (error instanceof Problem && error.status === 409 && row.worker !== null) {
      await operations.refuse(card.id, { worker: row.worker, attempt: row.attempt }, choose(), error);
    }
    throw error;
  }

  async function moved(who: Principal, id: string, proof: Proof, chosen: Move): Promise<TaskView> {
    const task = await taskFor(who, id);
    const after = await move(who, task, proof, () => chosen);
    return views.view({ payload: task.payload, ...after });
  }

  function usualLeaseMs(worker: string): number {
    const profile = operations.catalog.worker(worker)?.profile;
    const own = profile === undefined ? null : profileOf(around.settings.profiles, profile).ownLeaseMs;
    return Math.max(own ?? 0, leaseMsLeast);
  }

  async function cancel(who: Principal, id: string, act?: CancelAct) {
    const { card, row } = await taskFor(who, id);
    const holdersOwner = row.worker === null ? null : await holders.ownerOf(row.worker);
    if (!mayCancel(who, card, holdersOwner)) {
      throw new Problem("forbidden", `Task ${id} is neither yours nor your worker's`);
    }
    const request = act === undefined ? acts.cancel(who, id, null) : { id, actor: who.user, ...act };
    const { children } = await operations.cancel(request);
    const view = await tasks.get(who, id);
    await parts.ended(view);
    return { view, children };
  }

  return {
    update,
    cancel,
    release: (who, id, { delayMs, reason, checkpoint, ...proof }) =>
      moved(who, id, proof, { type: "release", reason, delayMs, checkpoint }),
    defer: (who, id, { attempt, leaseToken, ...words }) =>
      moved(who, id, { attempt, leaseToken }, { type: "defer", ...words }),
    async extend(who, id, { leaseMs, ...proof }) {
      const holder = await holders.holder(who, await taskFor(who, id), proof);
      await operations.extend(id, holder, leaseMs ?? usualLeaseMs(holder.worker));
      return tasks.get(who, id);
    },
    async progress(who, id, { attempt, leaseToken, ...report }) {
      const task = await taskFor(who, id);
      const holder = await holders.holder(who, task, { attempt, leaseToken });
      // Most reports are kept for a moment and not written, so a task that is over is noticed here.
      checkHolder(task.row, holder);
      checkLegal(task.row, "progress");
      await operations.progress(id, { holder }, report);
    },
  };
}

/** Nothing brings an attempt back, so what is seen here holds whatever happens meanwhile. */
function isOver({ row }: TaskRecord, holder: Holder | "override"): boolean {
  if (isFinal(row.state)) return true;
  if (holder === "override" || holder.attempt > row.attempt) return false;
  return holder.attempt < row.attempt || holder.worker !== row.worker;
}

function isProof({ attempt, leaseToken }: Proof): boolean {
  return attempt !== undefined || leaseToken !== undefined;
}

function moveOf({ card, row }: TaskRecord, update: Update): Move {
  const { status, error, errorCode, errorDetails, retryable = true, result } = update;
  switch (status) {
    case "running":
      return { type: "start" };
    case "completed":
      return { type: "complete", result, note: error || null };
    case "failed":
      return { type: "fail", error: { message: error ?? "", code: errorCode, details: errorDetails }, retryable };
    case "cancelled":
      return { type: "cancel", reason: null, note: error || null };
    case "pending":
    case "claimed":
      throw new Problem("invalid-task-transition", `Task ${card.id} is ${row.state}; it cannot be made ${status}`);
  }
}
