import { ask } from "../../api/client.ts";
import type { Ask } from "../../api/routes.ts";
import { pageRows, type TaskPage } from "./task-item.ts";

export function tasksAsk(q: string, cursor: string | null): Ask<"GET /tasks"> {
  return { route: "GET /tasks", query: { q, cursor: cursor ?? undefined, limit: pageRows, payloads: false } };
}

export function askTasks(q: string, cursor: string | null, signal?: AbortSignal): Promise<TaskPage> {
  return ask(tasksAsk(q, cursor), signal);
}

export function countAsk(q: string): Ask<"GET /tasks/count"> {
  return { route: "GET /tasks/count", query: { q } };
}
