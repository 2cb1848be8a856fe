// What happens to a worker that is gone, and to what it held. Each step may be repeated by the sweep after a crash:
// fence, move the tasks, remove.

import { isGivenUp, profileOf } from "../core/liveness.ts";
import type { AuditEntry, WorkerRecord } from "../ports/records.ts";
import type { HeldAttempt, Leaving, LettingGo, LossReason } from "./letting-go.ts";
import type { Surroundings } from "./surroundings.ts";
import type { Workers } from "./workers.ts";

export interface Losing {
  /** Its session ended. False when it turned out to be alive. */
  lose(worker: WorkerRecord, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean>;
  /** It said goodbye: offline at once, its registrations are kept, and what it left behind is for the sweep. */
  unregister(worker: WorkerRecord): Promise<void>;
  /** An operator has it removed before its time; not if it lives, or was fenced later than that. */
  clear(worker: WorkerRecord, how: Clearing): Promise<boolean>;
  /** Someone deletes it: when this resolves it is deleted. The entry is written with the step that makes it so. */
  remove(worker: WorkerRecord, audit?: AuditEntry): Promise<void>;
  /** Moves what a worker still holds, as long as it is given up. Answers how many tasks moved. */
  moveTasks(worker: string, reason: LossReason): Promise<number>;
  /**
   * Gives back what a worker that lives holds and does not know of; nothing counts against it. `holds` answers what it
   * knows of when that is looked at; null where nobody can tell any more.
   */
  takeBack(worker: string, holds: () => readonly HeldAttempt[] | null): Promise<void>;
}

export interface Clearing {
  /** Whether it is offline although nobody has noticed yet. */
  still(worker: WorkerRecord, now: number): boolean;
  readonly fencedBy: number;
  readonly audit: AuditEntry;
}

export function losing(
  { store, clock, telemetry, settings }: Surroundings,
  { workers, lettingGo }: { readonly workers: Workers; readonly lettingGo: LettingGo },
): Losing {
  async function moveTasks(worker: string, reason: LossReason): Promise<number> {
    for (let moved = 0; ; ) {
      const startedAt = clock.now();
      const { answer: leaving } = await store.amend({ workers: [worker], heldBy: [worker] }, (view) => {
        const leaving = lettingGo.lost(view, worker, reason);
        return { answer: leaving, tasks: leaving.tasks, outbox: leaving.outbox };
      });
      telemetry.committed("amend", leaving.tasks.length, clock.now() - startedAt);
      lettingGo.committed(leaving);
      moved += leaving.tasks.length;
      if (!leaving.more) return moved;
    }
  }

  async function lose(worker: WorkerRecord, still: (worker: WorkerRecord, now: number) => boolean): Promise<boolean> {
    const fencedAt = await workers.fence(worker.id, "worker.offline", still);
    if (fencedAt === null) return false;
    // Of many that are lost at once most hold nothing. A claim that slips in is found by the sweep, as beside any fence.
    const held = await store.find("held", { workers: [worker.id], limit: 1 });
    if (held.length > 0) await moveTasks(worker.id, "session");
    if (profileOf(settings.profiles, worker.profile).removedMs === 0)
      await workers.remove(worker.id, "worker.deleted", fencedAt);
    return true;
  }

  async function takeBack(worker: string, holds: () => readonly HeldAttempt[] | null): Promise<void> {
    for (;;) {
      const { answer: leaving } = await store.amend<Leaving | null>({ workers: [worker], heldBy: [worker] }, (view) => {
        const known = view.workers.get(worker);
        const theirs = known === undefined || isGivenUp(known.session) ? null : holds();
        if (theirs === null) return { answer: null };
        const leaving = lettingGo.unlisted(view, worker, theirs);
        return { answer: leaving, tasks: leaving.tasks, outbox: leaving.outbox };
      });
      if (leaving === null) return;
      lettingGo.committed(leaving);
      if (!leaving.more) return;
    }
  }

  return {
    ...{ lose, moveTasks, takeBack },
    async unregister(worker) {
      await workers.fence(worker.id, "worker.unregistered", () => true, { by: worker.owner });
    },
    async clear({ id }, { still, fencedBy, audit }) {
      const fencedAt = await workers.fence(id, "worker.offline", still);
      if (fencedAt === null || fencedAt > fencedBy) return false;
      await moveTasks(id, "session");
      return workers.remove(id, "worker.deleted", fencedAt, audit);
    },
    async remove({ id, owner }, audit) {
      // Nobody but its owner says goodbye for it; whoever else deletes it has an entry.
      const by = audit?.actor ?? owner;
      for (;;) {
        const fencedAt = await workers.fence(id, "worker.unregistered", () => true, { by });
        await moveTasks(id, "removed");
        if (fencedAt === null || (await workers.remove(id, "worker.deleted", fencedAt, audit))) return;
        // Either somebody else deleted it, or it came back in between, and is fenced anew.
        const [known] = await store.read("workers", { ids: [id] });
        if (known === undefined || known.session.removedAt !== null) return;
      }
    },
  };
}
