// Progress is told often and written seldom: at most one event a second and task. What comes in between is kept in
// memory; the newest of it is written when the second is over, or with the next move that is made here anyway.

import { checkProgress } from "../core/checks.ts";
import { Problem } from "../core/problem.ts";
import type { Progress } from "../core/task-row.ts";
import type { Fence, Moves } from "./moves.ts";
import type { Surroundings } from "./surroundings.ts";

export interface ProgressReports {
  report(id: string, fence: Fence, progress: Progress): Promise<void>;
  /** Writes what is pending for this task, so that its end shows it. */
  settle(id: string): Promise<void>;
  pending(id: string): boolean;
  forget(id: string): void;
  stop(): void;
}

interface Report {
  writtenAt: number;
  pending: { readonly fence: Fence; readonly progress: Progress } | null;
  silence: (() => void) | null;
}

const everyMs = 1_000;
const reportsMax = 100_000;

export function progressReports({ clock, log }: Surroundings, moves: Moves): ProgressReports {
  const reports = new Map<string, Report>();

  async function report(id: string, fence: Fence, progress: Progress): Promise<void> {
    checkProgress(progress);
    const known = reports.get(id);
    const now = clock.now();
    if (known === undefined || now - known.writtenAt >= everyMs) {
      // What was pending is older than this one.
      known?.silence?.();
      keep(id, { writtenAt: now, pending: null, silence: null });
      await moves.move({ id, fence, move: { type: "progress", progress } });
      return;
    }
    known.pending = { fence, progress };
    known.silence ??= clock.alarm(known.writtenAt + everyMs, () => void settle(id));
  }

  function keep(id: string, report: Report): void {
    reports.delete(id);
    reports.set(id, report);
    if (reports.size > reportsMax) reports.delete(reports.keys().next().value as string);
  }

  /** Best effort, so it never throws: a task ends whether or not its last progress could be written. */
  async function settle(id: string): Promise<void> {
    const known = reports.get(id);
    if (known === undefined || known.pending === null) return;
    known.silence?.();
    const { fence, progress } = known.pending;
    keep(id, { writtenAt: clock.now(), pending: null, silence: null });
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
    forget(id) {
      reports.get(id)?.silence?.();
      reports.delete(id);
    },
    stop() {
      for (const { silence } of reports.values()) silence?.();
      reports.clear();
    },
  };
}
