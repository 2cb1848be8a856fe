// Where targets of push jobs call back. Whoever shows the lease token of an attempt speaks for that attempt and for
// nothing else; a late word is refused and recorded, and the same word twice is answered as it was the first time.

import type { Holder } from "../../core/lease.ts";
import { checkHolder } from "../../core/lease.ts";
import { Problem } from "../../core/problem.ts";
import type { ProgressReport } from "../../core/progress.ts";
import { parsePush, pushWorker } from "../../core/push.ts";
import { checkLegal, type Move } from "../../core/task.ts";
import type { Failure, TaskState } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Outputs } from "./outputs.ts";

/** How a target says that it ended. */
export type CallbackEnd =
  | { readonly outcome: "succeeded" /** JSON text. */; readonly data: string | null }
  | { readonly outcome: "failed"; readonly error: Failure; readonly retryable: boolean };

/** The task as its target may see it. */
export interface CallbackView {
  readonly task: string;
  readonly state: TaskState;
  readonly attempt: number;
  readonly leasedUntil: number | null;
}

export interface CallbackDesk {
  /** Whether the token is this attempt's. The database is not asked. */
  proves(task: string, attempt: number, token: string): boolean;
  end(task: string, attempt: number, end: CallbackEnd): Promise<CallbackView>;
  /** Also prolongs the lease by as long as a callback may take. */
  progress(task: string, attempt: number, report: ProgressReport): Promise<CallbackView>;
}

export interface CallbackDeskParts {
  readonly operations: Pick<Operations, "settle" | "progress" | "extend" | "refuse" | "isLeaseToken" | "catalog">;
  readonly outputs: Outputs;
}

const eventsMax = 500;

export function callbackDesk({ store }: Surroundings, { operations, outputs }: CallbackDeskParts): CallbackDesk {
  const { catalog } = operations;
  const holderOf = (attempt: number): Holder => ({ worker: pushWorker, attempt });

  async function recordOf(id: string): Promise<TaskRecord> {
    const [record] = await store.read("tasks", { ids: [id] });
    if (record === undefined) throw new Problem("task-not-found", `Task ${id} does not exist`);
    return record;
  }

  async function end(id: string, attempt: number, said: CallbackEnd): Promise<CallbackView> {
    const record = await recordOf(id);
    if (!isOurs(record, attempt) && (await wasSaid(record, attempt, said))) return viewOf(record);
    // Whoever is too late hears that he is, whatever his result looks like.
    if (said.outcome === "succeeded" && isOurs(record, attempt)) outputs.check(record, said.data);
    try {
      const { row } = await operations.settle(id, holderOf(attempt), moveOf(said));
      return viewOf({ row });
    } catch (error) {
      // The same word may have come twice at the same time.
      if (!(error instanceof Problem && error.status === 409)) throw error;
      const after = await recordOf(id);
      if (!(await wasSaid(after, attempt, said))) throw error;
      return viewOf(after);
    }
  }

  /** Whether this very end of the attempt is in the task's history already. */
  async function wasSaid({ card, outcome }: TaskRecord, attempt: number, said: CallbackEnd): Promise<boolean> {
    const { items } = await store.read("events", { task: card.id, limit: eventsMax, offset: 0 });
    const ended = items.find((event) => event.attempt === attempt && endings.includes(event.type));
    if (ended === undefined || ended.worker !== pushWorker) return false;
    if (said.outcome === "succeeded") return ended.type === "task.completed" && isSame(outcome?.result, said.data);
    const { error = "", code = null } = JSON.parse(ended.data ?? "{}") as { error?: string; code?: string | null };
    return ended.type !== "task.completed" && error === said.error.message && code === said.error.code;
  }

  async function progress(id: string, attempt: number, report: ProgressReport): Promise<CallbackView> {
    const { card, row } = await recordOf(id);
    const holder = holderOf(attempt);
    try {
      checkHolder(row, holder);
      checkLegal(row, "progress");
    } catch (error) {
      if (error instanceof Problem) await operations.refuse(id, holder, { type: "progress", progress: report }, error);
      throw error;
    }
    await operations.progress(id, { holder }, report);
    const push = catalog.job(catalog.lane(card.lane)?.job ?? "")?.spec.push ?? null;
    if (push === null) return viewOf({ row });
    return viewOf(await operations.extend(id, holder, parsePush(push).callbackMs));
  }

  return {
    proves: (task, attempt, token) => operations.isLeaseToken(task, holderOf(attempt), token),
    end,
    progress,
  };
}

const endings: readonly string[] = ["task.completed", "task.failed", "task.retried"];

function isOurs({ row }: TaskRecord, attempt: number): boolean {
  return row.state === "running" && row.worker === pushWorker && row.attempt === attempt;
}

function isSame(kept: string | null | undefined, said: string | null): boolean {
  if (kept == null || said === null) return (kept ?? null) === said;
  return kept === said || JSON.stringify(JSON.parse(kept)) === JSON.stringify(JSON.parse(said));
}

function moveOf(said: CallbackEnd): Move {
  if (said.outcome === "succeeded") return { type: "complete", result: said.data };
  return { type: "fail", error: said.error, retryable: said.retryable };
}

function viewOf({ row }: Pick<TaskRecord, "row">): CallbackView {
  return { task: row.id, state: row.state, attempt: row.attempt, leasedUntil: row.leasedUntil };
}
