// Leases of the tasks in hand, told to the thread that prolongs them: those of one moment together, and before their
// handlers begin.

import type { Heart } from "../heartbeat/heart.ts";
import type { Lease } from "../heartbeat/words.ts";

export interface LeaseKeeping {
  /** Kept until what is answered is called. */
  keep(lease: Lease, onLost: () => void): () => void;
  /** The thread says that it is another's. */
  lost(lease: Pick<Lease, "task" | "attempt">): void;
}

/** What has ended is told now and then: by then nothing was prolonged for nothing. */
const tellMs = 500;

export function leaseKeeping(beats: Pick<Heart, "hold" | "drop">): LeaseKeeping {
  const kept = new Map<string, { readonly lease: Lease; readonly onLost: () => void }>();
  let begun: Lease[] = [];
  let ended: string[] = [];
  let isTelling = false;

  function tellBegun(): void {
    const told = begun;
    begun = [];
    beats.hold(told);
  }

  function tellEnded(): void {
    isTelling = false;
    const told = ended;
    ended = [];
    beats.drop(told.filter((task) => !kept.has(task)));
  }

  return {
    keep(lease, onLost) {
      const entry = { lease, onLost };
      kept.set(lease.task, entry);
      begun.push(lease);
      if (begun.length === 1) queueMicrotask(tellBegun);
      return () => {
        if (kept.get(lease.task) !== entry) return;
        kept.delete(lease.task);
        ended.push(lease.task);
        if (isTelling) return;
        isTelling = true;
        setTimeout(tellEnded, tellMs).unref();
      };
    },
    lost({ task, attempt }) {
      const entry = kept.get(task);
      if (entry?.lease.attempt === attempt) entry.onLost();
    },
  };
}
