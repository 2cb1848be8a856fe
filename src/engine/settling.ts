// Moves by a holder's word, or by that of someone the door has authorised. What comes too late is refused, and that too
// is written down.

import type { Holder } from "../core/lease.ts";
import { Problem } from "../core/problem.ts";
import type { Move } from "../core/task.ts";
import type { Cancelling } from "./cancelling.ts";
import type { MovedTask } from "./folding.ts";
import type { Fence, MoveRequest, Moves } from "./moves.ts";
import type { ProgressReports } from "./progress.ts";
import type { RecordsBeside } from "./records-beside.ts";
import type { Surroundings } from "./surroundings.ts";

export interface Settling {
  /** `starts`: see MoveRequest. */
  settle(id: string, holder: Holder, move: Move, starts?: boolean): Promise<MovedTask>;
  /** A cancel reaches the children, whoever asks for it. */
  change(id: string, fence: Fence, move: Move, starts?: boolean): Promise<MovedTask>;
  recordRefusal(id: string, holder: Holder, move: Move, why: Problem): Promise<void>;
}

export interface SettlingParts {
  readonly moves: Moves;
  readonly cancelling: Cancelling;
  readonly progress: ProgressReports;
  readonly records: RecordsBeside;
}

export function settling({ clock }: Pick<Surroundings, "clock">, parts: SettlingParts): Settling {
  const { moves, cancelling, progress, records } = parts;

  /** By the short way where it is open: one promise, where the long way takes a handful. */
  function settle(id: string, holder: Holder, move: Move, starts = false): Promise<MovedTask> {
    const leaving = isLeaving(move);
    if (move.type === "cancel" || (leaving && progress.pending(id))) return settleByLongWay(id, holder, move, starts);
    return new Promise((resolve, reject) => {
      const longWay = (): void => resolve(settleByLongWay(id, holder, move, starts));
      const told = {
        settled(_: MoveRequest, task: MovedTask, missed: boolean): void {
          if (leaving && !missed) progress.forget(id);
          if (missed) longWay();
          else resolve(task);
        },
        failed: (_: MoveRequest, error: unknown): void => reject(error),
      };
      if (!moves.join({ id, fence: { holder }, move, starts }, told)) longWay();
    });
  }

  async function settleByLongWay(id: string, holder: Holder, move: Move, starts: boolean): Promise<MovedTask> {
    const leaving = isLeaving(move);
    if (leaving && progress.pending(id)) await progress.settle(id);
    try {
      const task = await change(id, { holder }, move, starts);
      if (leaving) progress.forget(id);
      return task;
    } catch (error) {
      if (isLate(error)) await recordRefusal(id, holder, move, error);
      throw error;
    }
  }

  async function change(id: string, fence: Fence, move: Move, starts = false): Promise<MovedTask> {
    if (move.type !== "cancel") return moves.move({ id, fence, move, starts });
    const { reason, note = null } = move;
    const whose =
      "holder" in fence ? { holder: fence.holder, actor: null } : { actor: fence.anyone, audit: fence.audit };
    return (await cancelling.cancel({ id, ...whose, reason, note })).task;
  }

  async function recordRefusal(id: string, holder: Holder, move: Move, why: Problem): Promise<void> {
    const data = JSON.stringify({ move: move.type, code: why.code });
    await records.refused({ task: id, at: clock.now(), attempt: holder.attempt, worker: holder.worker, data });
  }

  return { settle, change, recordRefusal };
}

function isLeaving({ type }: Move): boolean {
  return type !== "start" && type !== "cancel";
}

function isLate(error: unknown): error is Problem {
  return error instanceof Problem && (error.code === "lease-lost" || error.code === "invalid-task-transition");
}
