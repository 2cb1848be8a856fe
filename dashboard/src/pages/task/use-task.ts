import { useEffect, useMemo } from "react";
import { refresh, useAsk } from "../../api/queries.ts";
import type { Answer } from "../../api/routes.ts";
import { feed } from "../../live/feed.ts";
import { useHappened } from "../../live/use-live.ts";
import { TaskLog } from "./task-log.ts";

/** For a log whose lines nobody tells us of. */
const idleMs = 5_000;

export type Task = Answer<"GET /tasks/{task_id}">;

export function isFinal({ status }: Pick<Task, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** In nobody's hands: a coordinator that waits for its children. */
export function isDeferred({ status, worker_id, children }: Task): boolean {
  return status === "running" && worker_id === null && children?.total != null;
}

/** The task as it is now; asked for again whenever something is told of it. */
export function useTask(id: string) {
  const asked = useAsk(
    { route: "GET /tasks/{task_id}", params: { task_id: id } },
    { placeholderData: () => undefined },
  );
  useHappened(({ tasks, workers }) => {
    if (!workers.has("*") && !tasks.some((task) => task.id === id)) return;
    refresh("GET /tasks/{task_id}", "GET /tasks/{task_id}/events", "GET /tasks/{task_id}/explain");
  });
  return asked;
}

/** Follows progress and log for as long as the page is open. */
export function useTaskLog(id: string, live: boolean): TaskLog {
  const log = useMemo(() => new TaskLog(id), [id]);
  useEffect(() => {
    void log.newer();
    return feed.follow(id, () => {
      refresh("GET /tasks/{task_id}");
      void log.newer();
    });
  }, [id, log]);
  useEffect(() => {
    if (!live) return;
    const timer = setInterval(() => feed.view().state !== "paused" && void log.newer(), idleMs);
    return () => clearInterval(timer);
  }, [live, log]);
  // Its last lines may have been written while the socket was away, or just before its end.
  useHappened(({ tasks, workers }) => {
    if (workers.has("*") || tasks.some((task) => task.id === id)) void log.newer();
  });
  return log;
}
