// How often the lease of a task in hand is prolonged: by the document each 30 seconds of its 120.

import type { ClaimedTask } from "../claimed-task.ts";

const usual = { mostMs: 30_000, timesALease: 4 };
const leastMs = 1_000;
/** Whatever somebody asked for: one that is late must not be the last. */
const timesALeaseMin = 2;

/** By the server's own times of the task; null where nobody said how often. */
export function leaseEveryMs(
  { started_at, lease_until }: Pick<ClaimedTask, "started_at" | "lease_until">,
  beatMs: number | null,
): number {
  const [mostMs, times] = beatMs === null ? [usual.mostMs, usual.timesALease] : [beatMs, timesALeaseMin];
  const lastsMs = Date.parse(lease_until ?? "") - Date.parse(started_at ?? "");
  const everyMs = Number.isFinite(lastsMs) ? Math.min(mostMs, lastsMs / times) : mostMs;
  return Math.max(leastMs, everyMs);
}
