// Leases of single tasks, prolonged from the heartbeat's thread: a handler that blocks the program for minutes keeps its
// task.

import type { Lease } from "./words.ts";

export interface Leases {
  hold(leases: readonly Lease[]): void;
  drop(tasks: readonly string[]): void;
  stop(): void;
}

export interface LeasesParts {
  now(): number;
  /** Whether the task is still the worker's; rejects where nobody can say. */
  extend(lease: Lease): Promise<boolean>;
  onLost(lease: Lease): void;
}

/** How often it looks what is due; leases are prolonged long before they end. */
const lookMs = 250;
/** A lease that could not be prolonged is tried again soon. */
const againMs = 1_000;

export function leases({ now, extend, onLost }: LeasesParts): Leases {
  const held = new Map<string, { readonly lease: Lease; dueAt: number }>();
  let looking: NodeJS.Timeout | undefined;

  function look(): void {
    for (const each of held.values()) if (each.dueAt <= now()) void prolong(each);
  }

  async function prolong(each: { readonly lease: Lease; dueAt: number }): Promise<void> {
    const { lease } = each;
    // Not twice at a time.
    each.dueAt = Number.POSITIVE_INFINITY;
    try {
      const isOurs = await extend(lease);
      each.dueAt = now() + lease.everyMs;
      if (isOurs || held.get(lease.task) !== each) return;
      held.delete(lease.task);
      onLost(lease);
    } catch {
      each.dueAt = now() + againMs;
    }
  }

  function rest(): void {
    if (held.size > 0) looking ??= setInterval(look, lookMs).unref();
    else {
      clearInterval(looking);
      looking = undefined;
    }
  }

  return {
    hold(more) {
      for (const lease of more) held.set(lease.task, { lease, dueAt: now() + lease.everyMs });
      rest();
    },
    drop(tasks) {
      for (const task of tasks) held.delete(task);
      rest();
    },
    stop() {
      held.clear();
      rest();
    },
  };
}
