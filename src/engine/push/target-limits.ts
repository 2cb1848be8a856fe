// How many tasks a target has at once is a limit of its job's lane, which the store holds over all servers. Whichever
// server sees a job or a lane first sets it; the others find it set.

import type { Lane } from "../../core/lane.ts";
import { parsePush } from "../../core/push.ts";
import type { Operations } from "../engine.ts";

export interface TargetLimits {
  /** Whether there is a push job at all. */
  any(): boolean;
  /** Sets what is not as the jobs say. */
  set(): Promise<void>;
}

export function targetLimits(
  { catalog, lanes }: Pick<Operations, "catalog" | "lanes">,
  changed: () => void,
): TargetLimits {
  const names = new Set<string>();
  const stale = new Set<string>();

  function look(jobs: Iterable<{ readonly name: string; readonly spec: { readonly push: string | null } }>): void {
    for (const { name, spec } of jobs) {
      if (spec.push === null && !names.has(name)) continue;
      names.add(name);
      stale.add(name);
    }
  }

  look(catalog.jobs());
  catalog.onChange((change) => {
    look(change.jobs);
    for (const { job } of change.lanes) if (names.has(job)) stale.add(job);
    if (stale.size > 0) changed();
  });

  async function limit(name: string): Promise<void> {
    const push = catalog.job(name)?.spec.push ?? null;
    const maxRunning = push === null ? null : parsePush(push).maxConcurrent;
    for (const id of catalog.lanesOfJob(name)) {
      const { paused, maxRunning: before } = catalog.lane(id) as Lane;
      if (before !== maxRunning) await lanes.setLimits(id, { paused, maxRunning });
    }
    // A job for workers again: its limit went with its URL, and whatever it is given later is an operator's.
    if (push === null) names.delete(name);
  }

  return {
    any: () => names.size > 0,
    async set() {
      for (const name of [...stale]) {
        stale.delete(name);
        await limit(name).catch((error: unknown) => {
          stale.add(name);
          throw error;
        });
      }
    },
  };
}
