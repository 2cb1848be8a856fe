// Cancelling and retrying tasks for an act: each once, whoever does it and however often. Who began the act may do here what he
// may do to a single task, and what he may not is left as it is.

import { Problem, type ProblemCode } from "../../core/problem.ts";
import type { SkipReason } from "../../core/skip-reason.ts";
import { isFinal } from "../../core/task-row.ts";
import type { TaskRecord } from "../../ports/records.ts";
import type { Scanned, TaskScan } from "../../ports/store-reads.ts";
import type { ActPlan } from "../control/act-plan.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Verdict } from "./act-runs.ts";
import type { SettleDesk } from "./settle-desk.ts";
import type { SubmitDesk } from "./submit-desk.ts";

export interface ActPerformerParts {
  readonly settles: Pick<SettleDesk, "cancel">;
  readonly submits: Pick<SubmitDesk, "retry">;
}

/** One task is retried by one act alone. */
const retryScope = "acts retry";

/** What says that there is nothing to do, or nothing that is his to do. */
const skipping: Readonly<Partial<Record<ProblemCode, SkipReason>>> = {
  forbidden: "forbidden",
  "task-not-found": "gone",
  "invalid-task-transition": "over",
  "task-open": "open",
};

export function actPerformers({ store }: Pick<Surroundings, "store">, { settles, submits }: ActPerformerParts) {
  async function perform(plan: ActPlan, ids: readonly string[]): Promise<readonly Verdict[]> {
    if (ids.length === 0) return [];
    const one = plan.act === "cancel" ? cancelOne : await retrier(plan, ids);
    // All have their turn before one that may pass is thrown: what it would repeat is known to be done.
    const results = await Promise.allSettled(ids.map((id) => verdictOn(id, () => one(plan, id))));
    return results.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }

  async function cancelOne(plan: ActPlan, id: string): Promise<Verdict> {
    const reason = reasonOf(plan);
    try {
      await settles.cancel(plan.by, id, { reason, note: plan.note });
      return "done";
    } catch (error) {
      if (!(error instanceof Problem && error.code === "invalid-task-transition")) throw error;
      return (await wasCancelledFor(id, reason)) ? "done" : "over";
    }
  }

  async function wasCancelledFor(id: string, reason: string): Promise<boolean> {
    const [task] = await store.read("tasks", { ids: [id] });
    if (task?.row.state !== "cancelled") return false;
    const last = { task: id, limit: 1, offset: task.row.version - 1 };
    const { items } = await store.read("events", last);
    return items.some(({ data }) => data !== null && (JSON.parse(data) as { reason?: string }).reason === reason);
  }

  /** Those that were retried before, by somebody or by another act, are not retried again. */
  async function retrier(plan: ActPlan, ids: readonly string[]) {
    const retried = await retriedAmong(plan, ids);
    const open = new Set((await store.read("tasks", { ids })).filter(isOpen).map(({ card }) => card.id));
    return async (_: ActPlan, id: string): Promise<Verdict> => {
      if (open.has(id)) return "open";
      if (retried.has(id)) return (await wasRetriedFor(plan, id)) ? "done" : "retried";
      try {
        await submits.retry(plan.by, id, { scope: retryScope, key: id, bodyHash: plan.id });
      } catch (error) {
        if (error instanceof Problem && error.code === "idempotency-conflict") return "retried";
        // It was retried for this act, and what became of it has been removed since.
        if (!(error instanceof Problem && error.code === "task-gone")) throw error;
      }
      return "done";
    };
  }

  async function retriedAmong({ createdAt }: ActPlan, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const pick = { now: createdAt, conditions: [{ kind: "retries", ids, not: false }] } as const;
    const retried = new Set<string>();
    let before: string | null = null;
    do {
      const query: TaskScan = { pick, before, rows: 1_000, limit: 1_000, want: "bare" };
      const slice: Scanned = await store.read("taskScan", query);
      for (const { record } of slice.found) if (record?.card.retryOf != null) retried.add(record.card.retryOf);
      before = slice.through;
    } while (before !== null);
    return retried;
  }

  async function wasRetriedFor(plan: ActPlan, id: string): Promise<boolean> {
    return (await store.read("key", { scope: retryScope, key: id }))?.bodyHash === plan.id;
  }

  return perform;
}

/** Throws what may pass: the act waits until it has. */
async function verdictOn(taskId: string, act: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || error.retry) throw error;
    return skipping[error.code] ?? { taskId, code: error.code, detail: error.message };
  }
}

/** What the history of a cancelled task says. */
function reasonOf({ id }: ActPlan): string {
  return `act ${id}`;
}

function isOpen({ row }: TaskRecord): boolean {
  return !isFinal(row.state);
}
