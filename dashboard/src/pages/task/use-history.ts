import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ask } from "../../api/client.ts";
import { usePace } from "../../api/queries.ts";
import type { TaskEvent } from "./history.ts";

export interface TaskHistory {
  readonly events: readonly TaskEvent[];
  readonly total: number;
  /** Between the first and the last, not read: a task that runs for a day makes progress a great many times. */
  readonly left: number;
}

const pageMax = 500;

export function useHistory(task: string): UseQueryResult<TaskHistory, Error> {
  const pace = usePace();
  return useQuery<TaskHistory, Error>({
    queryKey: ["GET /tasks/{task_id}/events", task],
    queryFn: ({ signal }) => readHistory(task, signal),
    ...pace,
  });
}

async function readHistory(task: string, signal: AbortSignal): Promise<TaskHistory> {
  const page = (offset: number) =>
    ask({ route: "GET /tasks/{task_id}/events", params: { task_id: task }, query: { limit: pageMax, offset } }, signal);
  const first = await page(0);
  if (first.total <= pageMax) return { events: first.items, total: first.total, left: 0 };
  const from = Math.max(pageMax, first.total - pageMax);
  const last = await page(from);
  return { events: [...first.items, ...last.items], total: first.total, left: from - pageMax };
}
