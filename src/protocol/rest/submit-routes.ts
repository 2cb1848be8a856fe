import Type from "typebox";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { StatusQuery, Task, TaskSubmit, TasksSubmit } from "./task-bodies.ts";
import { IdempotencyHeader, JobName, PageQuery, pageOf, RoomPath } from "./words.ts";

const taskList = {
  200: { description: "A page of tasks, newest first.", schema: pageOf(Task), example: examples.page(examples.task) },
};

const submitProblems = [
  "invalid-room-id",
  "job-not-found",
  "idempotency-conflict",
  "parent-closed",
  "task-gone",
  "too-many-pending",
  "too-many-lanes",
  "internal-job-not-configured",
] as const;

export const submitRoutes = {
  submitTask: {
    id: "submitTask",
    method: "POST",
    path: "/rooms/{room_id}/tasks/{job_name+}",
    tag: "tasks",
    summary: "Submit a task",
    description: "Once it is answered, the task is on disk and will not be lost.",
    params: Type.Object({ ...RoomPath.properties, job_name: JobName }),
    headers: IdempotencyHeader,
    body: TaskSubmit,
    example: { payload: { angle: 90 }, priority: 5 },
    answers: {
      202: {
        description: "The task.",
        schema: Task,
        example: examples.task,
        headers: { Location: "Where the task can be read.", "Retry-After": "Seconds after which to look." },
      },
    },
    problems: submitProblems,
  },
  submitTasks: {
    id: "submitTasks",
    method: "POST",
    path: "/rooms/{room_id}/tasks",
    tag: "tasks",
    summary: "Submit many tasks, all or none",
    params: RoomPath,
    headers: IdempotencyHeader,
    body: TasksSubmit,
    example: { tasks: [{ job: "@global:modifiers:Rotate", payload: { angle: 90 } }] },
    answers: {
      202: {
        description: "The tasks, in the order given.",
        schema: Type.Object({ items: Type.Array(Task) }),
        example: { items: [examples.task] },
      },
    },
    problems: submitProblems,
  },
  listRoomTasks: {
    id: "listRoomTasks",
    method: "GET",
    path: "/rooms/{room_id}/tasks",
    tag: "tasks",
    summary: "List the tasks submitted to a room",
    params: RoomPath,
    query: Type.Object({ ...StatusQuery.properties, ...PageQuery.properties }),
    answers: taskList,
    problems: ["invalid-room-id"],
  },
  listTasks: {
    id: "listTasks",
    method: "GET",
    path: "/tasks",
    tag: "tasks",
    summary: "List the tasks of all rooms the token may see",
    query: Type.Object({
      ...StatusQuery.properties,
      job: Type.Optional(Type.String({ description: "Only those of this job, by its full name." })),
      ...PageQuery.properties,
    }),
    answers: taskList,
    problems: ["job-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
