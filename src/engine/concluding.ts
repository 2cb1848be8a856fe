// The end of an attempt, told by a worker that may tell it twice: its connection was lost before it heard that it had
// been written. The same end of the same attempt is one outcome, however often it is told; anything else that comes too
// late is refused, and stays in the history.

import type { Holder } from "../core/lease.ts";
import { Problem } from "../core/problem.ts";
import type { Move } from "../core/task.ts";
import type { EventType } from "../core/task-event.ts";
import type { Moves } from "./moves.ts";
import type { ProgressReports } from "./progress.ts";
import type { RecordsBeside } from "./records-beside.ts";
import type { Surroundings } from "./surroundings.ts";

/** How an attempt ends by its worker's word. */
export type Conclusion = Extract<Move, { readonly type: "complete" | "fail" | "release" | "defer" }>;

/** Null once it is written, now or before; else why it is not. */
export type Conclude = (id: string, holder: Holder, move: Conclusion) => Promise<Problem | null>;

export interface ConcludingParts {
  readonly moves: Pick<Moves, "move">;
  readonly progress: Pick<ProgressReports, "pending" | "settle" | "forget">;
  readonly records: Pick<RecordsBeside, "refused">;
}

/** What each end may have left in the history. */
const traces = {
  complete: ["task.completed"],
  fail: ["task.failed", "task.retried"],
  release: ["task.released"],
  defer: ["task.deferred"],
} as const satisfies Record<Conclusion["type"], readonly EventType[]>;

/** How far back in a history the end of an attempt is looked for. */
const eventsMax = 500;

export function concluding({ store, clock }: Surroundings, { moves, progress, records }: ConcludingParts): Conclude {
  async function toldBefore(id: string, { worker, attempt }: Holder, move: Conclusion): Promise<boolean> {
    const { total } = await store.read("events", { task: id, limit: 0, offset: 0 });
    const offset = Math.max(0, total - eventsMax);
    const { items } = await store.read("events", { task: id, limit: eventsMax, offset });
    const types: readonly string[] = traces[move.type];
    return items.some((event) => event.attempt === attempt && event.worker === worker && types.includes(event.type));
  }

  async function refuse(id: string, { attempt, worker }: Holder, move: Conclusion, why: Problem): Promise<Problem> {
    const data = JSON.stringify({ move: move.type, code: why.code });
    await records.refused({ task: id, at: clock.now(), attempt, worker, data });
    return why;
  }

  async function late(id: string, holder: Holder, move: Conclusion, why: Problem): Promise<Problem | null> {
    if (await toldBefore(id, holder, move)) return null;
    return why.code === "task-not-found" ? why : refuse(id, holder, move, why);
  }

  return async (id, holder, move) => {
    try {
      if (progress.pending(id)) await progress.settle(id);
      await moves.move({ id, fence: { holder }, move });
      progress.forget(id);
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return isLate(error) ? late(id, holder, move, error) : error;
    }
  };
}

function isLate({ code }: Problem): boolean {
  return code === "lease-lost" || code === "invalid-task-transition" || code === "task-not-found";
}
