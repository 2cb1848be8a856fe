// Who is measured in every section, and what their rows say about them.

import type { StoreName } from "../options.ts";
import type { SystemName } from "./system.ts";

/** Of the batched graphile-worker: the figure of its own page on performance. */
export const localQueueSize = 500;

export interface Row {
  /** The end of the measurement's name. */
  readonly name: string;
  readonly title: string;
  readonly system: SystemName;
  readonly stores: readonly StoreName[];
}

export const ours: Row = {
  name: "leadhand",
  title: "**Leadhand** (fenced)",
  system: "leadhand",
  stores: ["sqlite", "postgres"],
};

export const bullmq: Row = {
  name: "bullmq",
  title: "BullMQ (fenced)",
  system: "bullmq",
  stores: ["postgres", "redis", "redis-fsync"],
};

export const pgBoss: Row = {
  name: "pg-boss",
  title: "pg-boss (not fenced)",
  system: "pg-boss",
  stores: ["postgres"],
};

export const graphile: Row = {
  name: "graphile",
  title: "graphile-worker, defaults (not fenced)",
  system: "graphile",
  stores: ["postgres"],
};

export const graphileBatched: Row = {
  name: "graphile-batched",
  title: "graphile-worker, batched (not fenced)",
  system: "graphile-batched",
  stores: ["postgres"],
};

export const peers: readonly Row[] = [bullmq, pgBoss, graphile];

/** Tasks that it has locked ahead of those that run. */
export function heldBeyond({ system }: Row, prefetch: number): number {
  return system === "graphile-batched" ? localQueueSize : prefetch;
}
