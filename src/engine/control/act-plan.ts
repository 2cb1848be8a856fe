// An act on all tasks that a query picks, as it is kept: an item of the outbox, which each step replaces by another, so that any
// server may carry it on. What a step is about to do is written down before it is done; done twice, it is done once.

import type { Principal } from "../../core/access.ts";
import type { SkipReason } from "../../core/skip-reason.ts";
import type { OutboxItem } from "../../ports/records.ts";
import type { Surroundings } from "../surroundings.ts";

export interface ActError {
  readonly taskId: string;
  readonly code: string;
  readonly detail: string;
}

export type Skips = Readonly<Partial<Record<SkipReason, number>>>;

/** How many tasks were found, and what became of them. */
export interface ActTally {
  readonly matched: number;
  readonly done: number;
  readonly skipped: number;
  /** How many of these for which reason. */
  readonly skips: Skips;
  readonly failed: number;
  /** The first few. */
  readonly errors: readonly ActError[];
}

export interface ActPlan extends ActTally {
  readonly id: string;
  readonly act: "cancel" | "retry";
  readonly q: string;
  readonly note: string | null;
  readonly by: Principal;
  /** The token of a program that he came by, himself or through a session: without it the act goes no further. */
  readonly token: string | null;
  readonly state: "running" | "done" | "stopped";
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** Tasks below this id have not been looked at; null: all have. In the beginning it is the act's own. */
  readonly before: string | null;
  /** Whose turn it is; of one that was stopped, those whose turn was under way and is not counted. */
  readonly turn: readonly string[];
}

export const actKind = "act";
/** Of those that are over. */
export const actedKind = "acted";

/** How long an act that is over can be looked at, and how many of them. */
const keptMs = 24 * 3_600_000;
export const keptMax = 200;
export const errorsMax = 10;

/** Plans of an older version do not know why they left tasks out. */
export function actIn({ data }: Pick<OutboxItem, "data">): ActPlan {
  const plan = JSON.parse(data as string) as Omit<ActPlan, "skips"> & Partial<ActPlan>;
  return { ...plan, skips: plan.skips ?? {} };
}

/** One that is over is due when it may be forgotten. */
export function actItem({ ids }: Pick<Surroundings, "ids">, plan: ActPlan): OutboxItem {
  const { id: key, createdAt, finishedAt } = plan;
  const [kind, at] = finishedAt === null ? [actKind, createdAt] : [actedKind, finishedAt + keptMs];
  return { id: ids.next(), kind, key, data: JSON.stringify(plan), at };
}

export function ended(plan: ActPlan, state: "done" | "stopped", finishedAt: number): ActPlan {
  return { ...plan, state, finishedAt };
}
