// What happens to a worker that is gone, and to what it held. Each step may be repeated by the sweep after a crash:
// fence, move the tasks, remove.

import type { Profile } from "../core/liveness.ts";
import { Problem } from "../core/problem.ts";
import type { WorkerRecord } from "../ports/records.ts";
import { rowsMax } from "../ports/store.ts";
import type { Choice } from "./locked-moves.ts";
import type { Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Workers } from "./workers.ts";

export type LossReason = "session" | "removed";

export interface Losing {
  /** Its session ended. False when it turned out to be alive. */
  lose(worker: WorkerRecord, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean>;
  /** It said goodbye: offline at once, its registrations are kept. */
  unregister(worker: WorkerRecord): Promise<void>;
  /** Someone deleted it. */
  remove(worker: WorkerRecord): Promise<void>;
  /** Moves what a fenced worker still seems to hold. Answers how many tasks moved. */
  moveTasks(worker: string, profile: Profile | null, reason: LossReason): Promise<number>;
}

export function losing(
  { store, settings }: Surroundings,
  { moves, workers }: { readonly moves: Moves; readonly workers: Workers },
): Losing {
  async function moveTasks(worker: string, profile: Profile | null, reason: LossReason): Promise<number> {
    let moved = 0;
    for (;;) {
      const held = await store.find("held", { workers: [worker], limit: rowsMax });
      const answers = await Promise.all(held.map((id) => moves.locked(id, (task) => expire(task, worker))));
      const failed = answers.find((answer) => answer instanceof Problem);
      if (failed !== undefined) throw failed;
      moved += held.length;
      if (held.length < rowsMax) return moved;
    }

    function expire(task: Parameters<Moves["circumstances"]>[0], worker: string): Choice {
      if (task.row.worker !== worker) return "leave";
      return { move: { type: "expire", reason }, around: { ...moves.circumstances(task, worker), profile } };
    }
  }

  async function lose(worker: WorkerRecord, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean> {
    if (!(await workers.fence(worker.id, "worker.lost", still))) return false;
    const profile = settings.profiles[worker.profile];
    await moveTasks(worker.id, profile, "session");
    if (profile.removedMs === 0) await workers.remove(worker.id, "worker.removed");
    return true;
  }

  return {
    lose,
    moveTasks,
    async unregister(worker) {
      await workers.fence(worker.id, "worker.unregistered", () => true);
      await moveTasks(worker.id, settings.profiles[worker.profile], "session");
    },
    async remove(worker) {
      await workers.fence(worker.id, "worker.unregistered", () => true);
      await moveTasks(worker.id, settings.profiles[worker.profile], "removed");
      await workers.remove(worker.id, "worker.deleted");
    },
  };
}
