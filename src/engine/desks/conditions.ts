// How workers say they are, and whether they hear us. Kept in memory alone: the next beat says it anew.

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
  /** What has changed; the rest stays. */
  change(worker: string, change: Partial<Condition>): void;
  /** By its last beat to this server; null where it never said. */
  of(worker: string): Condition | null;
  isBlocked(worker: string): boolean;
  setDeaf(worker: string, deaf: boolean): void;
  isDeaf(worker: string): boolean;
}

const unknown: Condition = { cpuPercent: null, ramBytes: null, loopLagMs: null, blockedMs: null };

export function conditions(catalog: Catalog): Conditions {
  const known = new Map<string, Condition>();
  const blocked = new Set<string>();
  const deaf = new Set<string>();
  catalog.onChange(({ workers }) => {
    for (const { id, session } of workers) {
      if (session.removedAt === null) continue;
      known.delete(id);
      blocked.delete(id);
      deaf.delete(id);
    }
  });

  function note(worker: string, condition: Condition): void {
    known.set(worker, condition);
    if ((condition.blockedMs ?? 0) > 0) blocked.add(worker);
    else blocked.delete(worker);
  }

  return {
    note,
    change: (worker, change) => note(worker, { ...(known.get(worker) ?? unknown), ...change }),
    isBlocked: (worker) => blocked.has(worker),
    of: (worker) => known.get(worker) ?? null,
    setDeaf(worker, isDeaf) {
      if (isDeaf) deaf.add(worker);
      else deaf.delete(worker);
    },
    isDeaf: (worker) => deaf.has(worker),
  };
}
