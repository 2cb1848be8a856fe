// How workers say they are. Kept in memory alone: the next beat says it anew.

import type { Catalog } from "../catalog.ts";

export interface Condition {
  readonly cpuPercent: number | null;
  readonly ramBytes: number | null;
  readonly loopLagMs: number | null;
  /** How long the worker's code had not let go of the processor when it beat. */
  readonly blockedMs: number | null;
}

export interface Conditions {
  note(worker: string, condition: Condition): void;
  /** By its last beat to this server; null where it never said. */
  of(worker: string): Condition | null;
}

export function conditions(catalog: Catalog): Conditions {
  const known = new Map<string, Condition>();
  catalog.onChange(() => {
    for (const worker of known.keys()) if (catalog.worker(worker) === undefined) known.delete(worker);
  });
  return {
    note: (worker, condition) => void known.set(worker, condition),
    of: (worker) => known.get(worker) ?? null,
  };
}
