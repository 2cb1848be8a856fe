// Tasks as people read them.

import { clockText, spanText, timeAgo } from "../core/time-text.ts";
import type { EventAnswer, TaskAnswer } from "./answers.ts";
import type { Paint, Style } from "./paint.ts";
import { progressText } from "./progress-bar.ts";
import { type Cell, type Column, detailLines } from "./table.ts";

export const statusStyle = {
  pending: "dim",
  claimed: "cyan",
  running: "cyan",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
} as const satisfies Record<TaskAnswer["status"], Style>;

export const taskColumns: readonly Column[] = [
  { head: "ID" },
  { head: "STATUS" },
  { head: "JOB", least: 10, keepsEnd: true },
  { head: "ROOM", least: 6, spare: 2 },
  { head: "SUBMITTED" },
  { head: "TOOK", spare: 1 },
  { head: "NOTE", least: 8, spare: 3 },
];

export function taskCells(task: TaskAnswer, now: number): Cell[] {
  const { id, job_name, room_id, created_at } = task;
  return [
    id,
    statusCell(task),
    ...[job_name, room_id, timeAgo(created_at, now), tookText(task, now) ?? ""],
    noteOf(task, now) ?? "",
  ];
}

export function statusCell({ status }: Pick<TaskAnswer, "status">): Cell {
  return { text: status, style: statusStyle[status] };
}

/** From the start to the end, or to now. */
export function tookText({ started_at, completed_at }: TaskAnswer, now: number): string | null {
  if (started_at === null) return null;
  const end = completed_at === null ? now : Date.parse(completed_at);
  return spanText(end - Date.parse(started_at));
}

/** What is worth knowing of it beside its state, in few words. */
function noteOf({ status, error, progress, run_at, queue_position, attempt }: TaskAnswer, now: number): string | null {
  if (error !== null) return error;
  if (status === "running" && progress !== null) return progressText(progress);
  if (status === "pending" && run_at !== null && Date.parse(run_at) > now) return `due ${timeAgo(run_at, now)}`;
  if (status === "pending" && queue_position !== null) return `number ${queue_position} in line`;
  return attempt > 1 ? `attempt ${attempt}` : null;
}

export function taskDetail(task: TaskAnswer, now: number, paint: Paint): string[] {
  const { started_at, completed_at, run_at, progress } = task;
  const json = (value: unknown): string | null => (value == null ? null : JSON.stringify(value));
  return detailLines(
    [
      ["task", task.id],
      ["status", statusCell(task)],
      ["job", task.job_name],
      ["room", task.room_id],
      ["queue", task.priority === 0 ? task.queue : `${task.queue}, priority ${task.priority}`],
      ["waiting", task.waiting],
      ["position", task.queue_position === null ? null : String(task.queue_position)],
      ["attempt", task.attempt === 0 ? null : attemptText(task)],
      ["submitted", atText(task.created_at, now)],
      ["submitter", task.submitter],
      ["not before", run_at === null ? null : atText(run_at, now)],
      ["started", started_at === null ? null : atText(started_at, now)],
      ["ended", completed_at === null ? null : atText(completed_at, now)],
      ["took", tookText(task, now)],
      ["worker", task.worker_id],
      ["parent", task.parent_id],
      ["retry of", task.retry_of],
      ["progress", progress === null ? null : progressText(progress)],
      ["payload", json(task.payload)],
      ["result", json(task.result)],
      ["error", task.error === null ? null : { text: errorText(task), style: "red" }],
      ["details", json(task.error_details)],
    ],
    paint,
  );
}

export function errorText({ error, error_code }: Pick<TaskAnswer, "error" | "error_code">): string {
  const words = error ?? "it did not say why";
  return error_code === null ? words : `${words} (${error_code})`;
}

function attemptText({ attempt, losses }: TaskAnswer): string {
  return losses === 0 ? String(attempt) : `${attempt}, of which ${losses} lost`;
}

export function atText(at: string, now: number): string {
  return `${timeAgo(at, now)} (${at})`;
}

export const eventColumns: readonly Column[] = [
  { head: "TIME" },
  { head: "EVENT" },
  { head: "ATTEMPT", right: true },
  { head: "WORKER", spare: 1 },
  { head: "WHAT", least: 8 },
];

export function eventCells({ at, type, attempt, worker_id, data }: EventAnswer): Cell[] {
  const words = data === null || data === undefined || isEmpty(data) ? "" : JSON.stringify(data);
  return [clockText(at), type, attempt === null ? "" : String(attempt), worker_id ?? "", words];
}

function isEmpty(data: unknown): boolean {
  return typeof data === "object" && data !== null && Object.keys(data).length === 0;
}
