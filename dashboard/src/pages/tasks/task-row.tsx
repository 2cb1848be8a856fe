import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { TaskState } from "../../parts/badge.tsx";
import { byOurClock, clockTime, duration, howLong, percent, shortId } from "../../parts/text.ts";
import { Ago, useNow } from "../../parts/time.tsx";
import type { TaskItem } from "./task-item.ts";
import style from "./task-list.module.css";

export interface TaskRowProps {
  /** Undefined while it is on its way. */
  readonly task: TaskItem | undefined;
  readonly index: number;
  readonly top: number;
  readonly workerName: string | undefined;
}

export const TaskRow = memo(function TaskRow({ task, index, top, workerName }: TaskRowProps) {
  const place = { transform: `translateY(${top}px)` };
  if (task === undefined) {
    return (
      <li className={style.row} aria-posinset={index + 1} aria-setsize={-1} style={place}>
        <span className={style.ghost} />
      </li>
    );
  }
  const note = noteOf(task);
  return (
    <li
      className={style.row}
      aria-posinset={index + 1}
      aria-setsize={-1}
      data-testid="task-row"
      data-id={task.id}
      data-state={task.status}
      style={place}
    >
      <span className={style.state}>
        <TaskState state={task.status} />
      </span>
      <span className={style.job}>
        <Link to="/tasks/$id" params={{ id: task.id }} title={task.job_name} className={style.open}>
          <JobName name={task.job_name} />
        </Link>
        {task.attempt > 1 && <em title={`Attempt ${task.attempt}`}>×{task.attempt}</em>}
        {task.losses > 0 && <em data-tone="warning">lost {task.losses}</em>}
      </span>
      <span className={style.note} title={note} data-else={`${task.room_id} · ${shortId(task.id)}`}>
        {note}
      </span>
      <span className={style.room} title={task.room_id}>
        {task.room_id}
      </span>
      <span className={style.worker} title={task.worker_id ?? undefined}>
        {workerName ?? (task.worker_id === null ? "–" : shortId(task.worker_id))}
      </span>
      <span className={style.time}>
        <Lasted task={task} />
      </span>
      <span className={style.ago}>
        <Ago at={task.created_at} />
      </span>
      <span className={style.id} title={task.id}>
        {shortId(task.id)}
      </span>
    </li>
  );
});

/** Its own name is what tells it from others: it comes first, and goes last where there is little room. */
function JobName({ name }: { readonly name: string }) {
  const own = name.lastIndexOf(":");
  return (
    <>
      <b>{name.slice(own + 1)}</b>
      <span>{name.slice(0, Math.max(0, own)).replace(":", " · ")}</span>
    </>
  );
}

/** How long it ran, or has been running; of one that waits for its first attempt, how long it has waited. */
function Lasted({ task }: { readonly task: TaskItem }) {
  const { started_at, completed_at } = task;
  if (completed_at !== null) {
    return started_at === null ? "–" : duration(Date.parse(completed_at) - Date.parse(started_at));
  }
  // Since when it waits for another one is in its history alone.
  if (started_at === null && task.attempt > 0 && task.run_at === null) return "–";
  const since = started_at ?? task.run_at ?? task.created_at;
  return Date.parse(since) > Date.now() ? "–" : <Lasting since={since} waits={started_at === null} />;
}

function Lasting({ since, waits }: { readonly since: string; readonly waits: boolean }) {
  return <i title={waits ? "Waiting" : "Running"}>{howLong(since, useNow())}</i>;
}

/** What is most worth knowing beside its state, cut to a length that a line can use. */
function noteOf({ error, progress, children, status, waiting, queue_position: position, run_at }: TaskItem): string {
  if (error !== null) return error.slice(0, 300);
  if (status === "running" && progress !== null) {
    const share = progress.total ? percent(progress.current / progress.total) : String(progress.current);
    return [share, progress.message].filter(Boolean).join(" · ").slice(0, 300);
  }
  if (status === "running" && children?.total != null) {
    return `${children.done + children.failed} of ${children.total} children`;
  }
  if (status !== "pending") return "";
  if (waiting !== null) return byOurClock(waiting, Date.now());
  if (run_at !== null && Date.parse(run_at) > Date.now()) return `not before ${clockTime(run_at, Date.now())}`;
  return position === null ? "" : `${position.toLocaleString("en")} in line`;
}
