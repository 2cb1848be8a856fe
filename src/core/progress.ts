// How far a task is. A report says where it is or how much further it got; what it leaves out stays as it was. Steps
// are added to what is written, not to what somebody read a while ago, so none is lost however many arrive at once.

import { badField } from "./problem.ts";
import type { Progress } from "./task-row.ts";

/** With `current` or with `increment`. */
export interface ProgressReport {
  readonly current?: number | undefined;
  readonly increment?: number | undefined;
  readonly total?: number | null | undefined;
  readonly message?: string | null | undefined;
}

export function progressAfter(before: Progress | null, report: ProgressReport): Progress {
  const { current, increment = 0, total = before?.total ?? null, message = before?.message ?? null } = report;
  return { current: current ?? sum(before?.current ?? 0, increment), total, message };
}

/** One report that says what two did, one after the other. */
export function joinedReport(first: ProgressReport, then: ProgressReport): ProgressReport {
  const { current, increment, total = first.total, message = first.message } = then;
  if (current !== undefined) return { current, total, message };
  const steps = increment ?? 0;
  if (first.current !== undefined) return { current: sum(first.current, steps), total, message };
  return { increment: sum(first.increment ?? 0, steps), total, message };
}

function sum(before: number, increment: number): number {
  const after = before + increment;
  if (after > Number.MAX_SAFE_INTEGER) throw badField("/increment", `leads beyond ${Number.MAX_SAFE_INTEGER}`);
  return after;
}
