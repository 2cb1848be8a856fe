// How many tasks a worker takes at a time.

import type { WorkerRecord } from "../../ports/records.ts";

/**
 * Beyond which it gets nothing; null where there is no such number. What a worker says of itself bounds what is sent to it;
 * one that asks gets what it asks for, and only an operator's limit is held against it.
 */
export function capacityOf(worker: WorkerRecord): number | null {
  return least(worker.profile === "work" ? saidCapacity(worker) : null, limitOf(worker));
}

/** How many it means to have in hand, as far as it says so and an operator allows. */
export function intendedCapacity(worker: WorkerRecord): number | null {
  return least(saidCapacity(worker), limitOf(worker));
}

function limitOf({ orders }: WorkerRecord): number | null {
  return orders.concurrency?.value ?? null;
}

/** What it said it takes at a time, with what it wants to have in hand beyond that. */
function saidCapacity({ about }: WorkerRecord): number | null {
  if (about === null) return null;
  const { concurrency, prefetch } = JSON.parse(about) as { concurrency?: unknown; prefetch?: unknown };
  if (typeof concurrency !== "number") return null;
  return concurrency + (typeof prefetch === "number" ? prefetch : 0);
}

function least(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}
