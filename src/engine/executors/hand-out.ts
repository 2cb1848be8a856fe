// From the claim to the executor. What the broker does not take has failed; that is the contract's rule.

import type { Assignment } from "../../core/internal-job.ts";
import type { Broker } from "../../ports/broker.ts";
import type { ClaimedTask, TaskRecord } from "../../ports/records.ts";
import type { Catalog } from "../catalog.ts";
import type { Surroundings } from "../surroundings.ts";
import type { InHand } from "./in-hand.ts";

export interface HandOutParts {
  readonly catalog: Catalog;
  readonly broker: Broker;
  readonly hands: InHand;
  isStopping(): boolean;
}

const notDispatched = {
  message: "Failed to dispatch to internal executor",
  code: "dispatch_failed",
  details: null,
} as const;

export type HandedOut = Pick<TaskRecord, "row" | "outcome">;

/** Answers when each is in an executor's hands, or has failed, how it is then. */
export function handingOut({ store, log }: Surroundings, { catalog, broker, hands, isStopping }: HandOutParts) {
  function assignmentOf(task: ClaimedTask): Assignment {
    const { card, row, payload } = task;
    const job = catalog.lane(card.lane)?.job ?? "";
    return { ...hands.add(task), job, room: card.room, payload, checkpoint: row.checkpoint };
  }

  async function dispatch(assignments: readonly Assignment[]): Promise<readonly boolean[]> {
    try {
      return await broker.dispatch(assignments);
    } catch (error) {
      log.warn("internal tasks could not be dispatched", { error });
      return [];
    }
  }

  return async (tasks: readonly ClaimedTask[]): Promise<readonly HandedOut[]> => {
    const assignments = tasks.map(assignmentOf);
    // What came while the server was told to stop goes back as it came.
    const stopping = isStopping();
    const accepted = stopping ? [] : await dispatch(assignments);
    const refused = assignments.filter((_, index) => accepted[index] !== true);
    for (const hold of refused) {
      if (stopping) await hands.settle(hold, { type: "release", reason: "server_stopping" });
      else await hands.settle(hold, { type: "fail", error: notDispatched, retryable: false });
      hands.drop(hold);
    }
    const taken = tasks.filter((_, index) => accepted[index] === true).map(({ row }) => ({ row, outcome: null }));
    if (refused.length === 0) return taken;
    return [...taken, ...(await store.read("tasks", { ids: refused.map(({ task }) => task) }))];
  };
}
