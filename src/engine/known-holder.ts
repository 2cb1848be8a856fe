// A holder that registered at another server may not have reached this one's catalog yet. Without its profile the task
// would lose its deadlines, so then nothing is decided before the catalog was read again.

import type { Catalog } from "./catalog.ts";
import type { LockedAnswer, LockedMove } from "./locked-moves.ts";

type Lock = (move: LockedMove) => Promise<LockedAnswer>;

/** A holder that is unknown even then was removed, and the sweep moves what it held: the move is decided without it. */
export function withKnownHolder(catalog: Catalog, lock: Lock): Lock {
  return async (move) => {
    let unknown = false;
    const first = await lock({
      ...move,
      choose(task, parent) {
        const { worker } = task.row;
        unknown = worker !== null && catalog.worker(worker) === undefined;
        return unknown ? "leave" : move.choose(task, parent);
      },
    });
    if (!unknown) return first;
    await catalog.refresh();
    return lock(move);
  };
}
