import { CountAnswer, SettleAnswer, TaskCount, TasksSettle } from "./bulk-bodies.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { TaskPath } from "./task-bodies.ts";
import { CountKeyHeader } from "./words.ts";

const { id } = examples.task;

export const bulkRoutes = {
  settleTasks: {
    id: "settleTasks",
    method: "POST",
    path: "/tasks/settle",
    tag: "tasks",
    summary: "Tell how many attempts of a worker ended",
    description:
      "Each result stands for itself: one that is refused takes no other with it. Attempts prove themselves by their " +
      "number, and the same result of the same attempt told again is one outcome.",
    body: TasksSettle,
    example: {
      worker_id: examples.workerCreated.id,
      results: [{ id, attempt: 1, status: "completed", result: { ok: true } }],
    },
    answers: {
      200: {
        description: "For each result whether it was written, or why it was not.",
        schema: SettleAnswer,
        example: { items: [{ id, ok: true }] },
      },
    },
    problems: ["worker-not-found"],
  },
  countTask: {
    id: "countTask",
    method: "POST",
    path: "/tasks/{task_id}/count",
    tag: "tasks",
    summary: "Count messages on their coordinator",
    description:
      "For work that has no task of its own: how messages of a task that has deferred ended. The count that reaches the " +
      "total ends the task. On one that is final nothing is counted. An index that is not below the total is refused. " +
      "Marks without an index count each time that they come, but once for each `Idempotency-Key`. Whoever may work on " +
      "the task's job may count.",
    params: TaskPath,
    headers: CountKeyHeader,
    body: TaskCount,
    example: {
      marks: [
        { index: 0, status: "done" },
        { index: 1, status: "failed", error: { code: "NoSpace", message: "no space left" } },
      ],
    },
    answers: {
      200: {
        description: "How the task stands now.",
        schema: CountAnswer,
        example: { status: "running", total: 3, done: 1, failed: 1 },
      },
    },
    problems: ["task-not-found", "idempotency-conflict"],
  },
} as const satisfies Record<string, RouteSpec>;
