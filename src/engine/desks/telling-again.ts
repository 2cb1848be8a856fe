import type { Principal } from "../../core/access.ts";
import { Problem } from "../../core/problem.ts";
import { auditEntry } from "../audit-entry.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";
import type { TaskDesk } from "./task-desk.ts";
import type { TaskView } from "./task-views.ts";

/**
 * A person says that a message broker is to be told again of a task that waits: its message may be lost, and the server
 * may have given up. A task of which no broker is told, or not now, is merely open.
 */
export function tellingAgain(
  around: Surroundings,
  parts: { readonly operations: Pick<Operations, "catalog" | "override">; readonly tasks: Pick<TaskDesk, "get"> },
): (who: Principal, view: TaskView) => Promise<TaskView> {
  const { catalog, override } = parts.operations;
  return async (who, { record, job, queue }) => {
    const { id, state, runAt } = record.row;
    const isTold = around.settings.brokerQueues.get(queue) === "job" && catalog.job(job)?.spec.push == null;
    if (!isTold || state !== "pending" || runAt !== null) throw stillOpen(id);
    const act = { action: "task.retry", kind: "task", target: id, data: { task_id: id } };
    try {
      await override(id, who.user, { type: "republish" }, auditEntry(around, who, act));
    } catch (error) {
      // Somebody has taken it meanwhile.
      if (error instanceof Problem && error.code === "invalid-task-transition") throw stillOpen(id);
      throw error;
    }
    return parts.tasks.get(who, id);
  };
}

export function stillOpen(id: string): Problem {
  return new Problem("task-open", `Task ${id} has not ended yet`);
}
