// Claims of workers that may hold only so many tasks. What the worker holds is counted when it asks; a claim that waits
// when the limit changes begins anew.

import type { Catalog } from "../catalog.ts";
import type { Dispatcher } from "../dispatcher.ts";
import { napping } from "../nap.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Seats } from "./seats.ts";

type Claim = Dispatcher["claim"];

/** How often a worker that is full is looked at again while it waits. */
const lookMs = 500;

export interface LimitedClaimsParts {
  readonly catalog: Pick<Catalog, "worker" | "onChange">;
  readonly seats: Seats;
  readonly claim: Claim;
}

export function limitedClaims(
  { clock }: Pick<Surroundings, "clock">,
  { catalog, seats, claim }: LimitedClaimsParts,
): Claim {
  const waiting = new Map<string, Set<() => void>>();
  const limitOf = (worker: string): number | null => catalog.worker(worker)?.orders.concurrency?.value ?? null;
  const limits = new Map<string, number | null>();

  catalog.onChange(({ workers }) => {
    for (const { id } of workers) {
      if (!waiting.has(id) || limits.get(id) === limitOf(id)) continue;
      limits.set(id, limitOf(id));
      for (const begin of [...(waiting.get(id) ?? [])]) begin();
    }
  });

  function wait(worker: string, again: () => void): () => void {
    const all = waiting.get(worker) ?? new Set();
    if (all.size === 0) limits.set(worker, limitOf(worker));
    waiting.set(worker, all.add(again));
    return () => {
      all.delete(again);
      if (all.size > 0 || waiting.get(worker) !== all) return;
      waiting.delete(worker);
      limits.delete(worker);
    };
  }

  return async (request) => {
    const { worker, limit, waitMs, signal } = request;
    if (waitMs === 0 && limitOf(worker) === null) return claim(request);
    const until = clock.now() + waitMs;
    const nap = napping(clock);
    const isOver = (): boolean => signal?.aborted === true || clock.now() >= until;
    signal?.addEventListener("abort", nap.end);
    const leave = wait(worker, nap.end);
    try {
      for (let turns = 0; ; turns += 1) {
        const limitThen = limitOf(worker);
        const kept = await seats.keep(worker, limit);
        // There is no turn yet that another limit could have cut short.
        if (limitOf(worker) !== limitThen) {
          kept.free();
        } else if (kept.count > 0) {
          const turn = nap.signal();
          if (signal?.aborted) nap.end();
          const restMs = turns === 0 ? waitMs : Math.max(0, until - clock.now());
          const limits = { limit: kept.count, waitMs: restMs };
          const tasks = await claim({ ...request, ...limits, signal: turn }).finally(kept.free);
          // Cut short by another limit, there may be something for it all the same.
          if (tasks.length > 0 || !turn.aborted || isOver()) return tasks;
        } else if (isOver()) return [];
        else await nap.for(Math.min(lookMs, until - clock.now()));
      }
    } finally {
      leave();
      signal?.removeEventListener("abort", nap.end);
    }
  };
}
