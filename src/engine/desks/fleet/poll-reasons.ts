// Why a poll stays empty although there may be jobs: nobody reads silence right.

import { workerState } from "../../../core/liveness.ts";
import { roomLeft } from "../../../core/orders.ts";
import { counting } from "../../../core/pause.ts";
import type { WorkerRecord } from "../../../ports/records.ts";
import type { Operations } from "../../engine.ts";
import type { Surroundings } from "../../surroundings.ts";

export interface PollReasons {
  /** Why it is not asked for at all; null where it may have something. */
  absence(worker: WorkerRecord): string | null;
  /** Whether somebody keeps an online worker from getting anything, or anything more. */
  halt(worker: WorkerRecord): Promise<string | null>;
}

/** What a worker holds is counted so far. */
const heldMax = 1_000;

export function pollReasons(
  { store, clock }: Pick<Surroundings, "store" | "clock">,
  { heardAt, catalog }: Pick<Operations, "heardAt" | "catalog">,
): PollReasons {
  /** What an operator allows it to hold, where it holds that much. */
  async function fullness({ id, orders }: WorkerRecord): Promise<string | null> {
    if (orders.concurrency === null) return null;
    const { value } = orders.concurrency;
    const { length: held } = await store.find("held", { workers: [id], limit: Math.max(heldMax, value) });
    if (roomLeft(orders, held) > 0) return null;
    return `The worker holds ${held} ${held === 1 ? "job" : "jobs"}, and may hold ${value}`;
  }

  return {
    absence({ id, session }) {
      const seenAt = Math.max(session.seenAt, heardAt(id) ?? 0);
      const state = workerState({ ...session, seenAt }, clock.now());
      return state === "ONLINE" ? null : `The worker is ${state}: it gets no jobs until it pings`;
    },
    async halt(worker) {
      if (worker.draining) return "The worker is draining: it gets no new jobs";
      const pause = counting(catalog.pause("worker", worker.id), clock.now());
      if (pause === null) return worker.paused ? "The worker is paused: it gets no new jobs" : fullness(worker);
      const why = pause.note === null ? "" : ` (${pause.note})`;
      return `The worker is paused by ${pause.by}${why}: it gets no new jobs`;
    },
  };
}
