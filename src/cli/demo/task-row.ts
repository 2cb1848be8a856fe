// One task as a line of the screen, or of plain text.

import { spanText } from "../../core/time-text.ts";
import type { TaskAnswer } from "../answers.ts";
import type { Paint, Style } from "../paint.ts";
import { plain } from "../plain.ts";
import { errorText, statusStyle } from "../task-text.ts";
import { cutText, textWidth } from "../text-width.ts";

/** A text in a space of its own. */
export function cell(text: string, width: number, style: Style | null, paint: Paint): string {
  const cut = cutText(text, width);
  const space = " ".repeat(Math.max(0, width - textWidth(cut)));
  return (style === null ? cut : paint(style, cut)) + space;
}

export function shortJob({ job_name }: Pick<TaskAnswer, "job_name">): string {
  return job_name.split(":").slice(2).join(":");
}

/** Ids differ most at their end. */
export function shownId(id: string, width: number): string {
  return cutText(id, width, "start");
}

const jobWidth = "resize-image".length;
const stateWidth = "cancelled".length;
const gap = "  ";

/** A whole id can be copied; it is shown where there is room for it. */
export function idWidth(width: number): number {
  return width >= 110 ? 36 : 9;
}

export function headRow(width: number, paint: Paint): string {
  const heads = [
    ["TASK", idWidth(width)],
    ["JOB", jobWidth],
    ["STATUS", stateWidth],
    ["", 8],
  ] as const;
  return heads.map(([text, space]) => cell(text, space, "dim", paint)).join(gap);
}

export function taskRow(task: TaskAnswer, width: number, now: number, paint: Paint): string {
  const id = idWidth(width);
  const style = statusStyle[task.status];
  const used = id + jobWidth + stateWidth + 3 * gap.length;
  return [
    cell(shownId(task.id, id), id, "dim", paint),
    cell(plain(shortJob(task)), jobWidth, null, paint),
    cell(task.status, stateWidth, style, paint),
    noteRow(task, width - used, now, paint),
  ].join(gap);
}

function noteRow(task: TaskAnswer, width: number, now: number, paint: Paint): string {
  const { status, progress } = task;
  if (status !== "running" || progress === null || !progress.total) {
    return cell(taskNote(task, now), width, noteStyle(task), paint);
  }
  const share = Math.min(1, progress.current / progress.total);
  const cells = Math.max(8, Math.min(30, width - 18));
  const filled = Math.round(share * cells);
  const bar = paint("cyan", "█".repeat(filled)) + paint("dim", "░".repeat(cells - filled));
  const percent = `${Math.floor(share * 100)}%`.padStart(5);
  return `${bar}${percent}${gap}${cell(plain(progress.message ?? ""), Math.max(0, width - cells - 7), "dim", paint)}`;
}

function noteStyle({ status, attempt }: TaskAnswer): Style {
  if (status === "failed") return "red";
  return status === "pending" && attempt > 0 ? "yellow" : "dim";
}

/** What is worth knowing of it beside its state. */
export function taskNote(task: TaskAnswer, now: number): string {
  const { status, attempt, started_at, completed_at, run_at, progress, error } = task;
  const span = (from: string | null, to: number): string => (from === null ? "" : spanText(to - Date.parse(from)));
  const tries = attempt > 1 ? ` at try ${attempt}` : "";
  switch (status) {
    case "pending": {
      const wait = run_at === null ? 0 : Date.parse(run_at) - now;
      const due = wait > 0 ? ` in ${spanText(wait)}` : "";
      if (attempt > 0) return plain(`try ${attempt + 1}${due}${error === null ? "" : `: ${error}`}`);
      return due === "" ? "waits for a worker" : `due${due}`;
    }
    case "completed":
      return `took ${span(started_at, Date.parse(completed_at ?? ""))}${tries}`;
    case "failed":
      return plain(`${errorText(task)}${tries}`);
    case "cancelled":
      return started_at === null ? "before it began" : `after ${span(started_at, Date.parse(completed_at ?? ""))}`;
    default:
      return progress === null ? `for ${span(started_at, now)}${tries}` : plain(progress.message ?? "");
  }
}
