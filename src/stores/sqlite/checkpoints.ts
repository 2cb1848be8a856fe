// Keeps the log short without making commits wait: another thread copies it into the file while the writer goes on.
// SQLite starts the log anew only when all of it has been copied, and under load something is always added meanwhile;
// so once it is long the writer copies the little that is left itself.

import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../../ports/log.ts";
import type { SideThread } from "./side-thread.ts";
import { query } from "./statement.ts";
import { storeProblem } from "./store-problem.ts";
import type { Checkpointed } from "./thread.ts";

/** Commits of this long are copied together. */
const gatherMs = 100;

/** 16 MB: longer logs make commits slower, for they grow the file instead of writing over it. */
const framesMax = 2_000;

export interface Checkpoints {
  /** Call it after every commit. */
  committed(): void;
  stop(): Promise<void>;
}

export function checkpoints(db: DatabaseSync, thread: SideThread, log: Log): Checkpoints {
  const copyRest = query<[number, number, number]>(db, "pragma wal_checkpoint(passive)");
  const stopping = new AbortController();
  let round: Promise<void> | null = null;
  let failing = false;

  async function copy(): Promise<void> {
    try {
      await pause(gatherMs, undefined, { ref: false, signal: stopping.signal });
      const [, frames] = await thread.ask<Checkpointed>(null);
      if (frames > framesMax) copyRest.get();
      failing = false;
    } catch (error) {
      // Commits go on without, and the next of them tries again. Once is enough to say so.
      if (!failing && !stopping.signal.aborted) log.warn("Checkpoint failed", { error: storeProblem(error) });
      failing = true;
    }
  }

  return {
    committed() {
      round ??= copy().finally(() => {
        round = null;
      });
    },

    async stop() {
      stopping.abort();
      await round;
    },
  };
}
