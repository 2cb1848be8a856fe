// Progress is told often and written seldom: at most one event a second and task. What comes in between is kept in
// memory, joined to one report, and written when the second is over, or with the next move that is made here anyway.

import { checkReport } from "../core/checks.ts";
import { Problem } from "../core/problem.ts";
import { joinedReport, type ProgressReport } from "../core/progress.ts";
import type { Fence, Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ProgressReports {
  report(id: string, fence: Fence, progress: ProgressReport): Promise<void>;
  /** Writes what is pending for this task, so that its end shows it. */
  settle(id: string): Promise<void>;
  pending(id: string): boolean;
  forget(id: string): void;
  stop(): void;
}

interface Report {
  readonly fence: Fence;
  readonly writtenAt: number;
  pending: ProgressReport | null;
  silence: (() => void) | null;
}

const everyMs = 1_000;
const reportsMax = 100_000;

export function progressReports({ clock, log }: Surroundings, moves: Moves): ProgressReports {
  const reports = new Map<string, Report>();

  async function report(id: string, fence: Fence, progress: ProgressReport): Promise<void> {
    checkReport(progress);
    const known = reports.get(id);
    const now = clock.now();
    const mine = known !== undefined && sameHands(known.fence, fence) ? known : undefined;
    if (mine !== undefined && now - mine.writtenAt < everyMs) {
      mine.pending = mine.pending === null ? progress : joinedReport(mine.pending, progress);
      mine.silence ??= clock.alarm(mine.writtenAt + everyMs, () => void settle(id));
      return;
    }
    const whole = mine?.pending ? joinedReport(mine.pending, progress) : progress;
    const next: Report = { fence, writtenAt: now, pending: null, silence: null };
    // What other hands have told stays until it is known that the task is in these.
    if (known === mine) keep(id, next);
    try {
      await moves.move({ id, fence, move: { type: "progress", progress: whole } });
    } catch (error) {
      // The next report is not to be taken for granted because this one was made.
      if (reports.get(id) === next && next.pending === null) forget(id);
      throw error;
    }
    if (known !== mine && reports.get(id) === known) keep(id, next);
  }

  function keep(id: string, report: Report): void {
    forget(id);
    reports.set(id, report);
    if (reports.size > reportsMax) reports.delete(reports.keys().next().value as string);
  }

  function forget(id: string): void {
    reports.get(id)?.silence?.();
    reports.delete(id);
  }

  /** Best effort, so it never throws: a task ends whether or not its last progress could be written. */
  async function settle(id: string): Promise<void> {
    const known = reports.get(id);
    if (known === undefined || known.pending === null) return;
    const { fence, pending: progress } = known;
    keep(id, { fence, writtenAt: clock.now(), pending: null, silence: null });
    try {
      await moves.move({ id, fence, move: { type: "progress", progress } });
    } catch (error) {
      if (error instanceof Problem) log.debug("late progress was dropped", { task: id, code: error.code });
      else log.warn("late progress could not be written", { task: id, error });
    }
  }

  return {
    report,
    settle,
    pending: (id) => reports.get(id)?.pending != null,
    forget,
    stop() {
      for (const { silence } of reports.values()) silence?.();
      reports.clear();
    },
  };
}

function sameHands(a: Fence, b: Fence): boolean {
  if (!("holder" in a)) return !("holder" in b);
  return "holder" in b && a.holder.worker === b.holder.worker && a.holder.attempt === b.holder.attempt;
}
