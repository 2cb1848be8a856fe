import Type from "typebox";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { CountQuery, Task, TaskCount, TaskListQuery, TaskPage, TaskSubmit, TasksSubmit } from "./task-bodies.ts";
import { FieldFault, IdempotencyHeader, JobName, PageQuery, RoomPath } from "./words.ts";

const taskList = {
  200: { description: "A page of tasks, newest first.", schema: TaskPage, example: examples.taskPage },
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

const PayloadCheck = Type.Object({
  payload: Type.Optional(
    Type.Unknown({ description: "An empty object unless said. Any JSON: whether it fits is told." }),
  ),
});

const CheckedPayload = Type.Object({ valid: Type.Boolean(), errors: Type.Array(FieldFault) });

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
  checkPayload: {
    id: "checkPayload",
    method: "POST",
    path: "/rooms/{room_id}/jobs/{job_name+}/check",
    tag: "jobs",
    summary: "Check a payload without submitting it",
    description: "Looks at the payload as a submit would, and keeps nothing.",
    params: Type.Object({ ...RoomPath.properties, job_name: JobName }),
    body: PayloadCheck,
    example: { payload: { angle: "a lot" } },
    answers: {
      200: {
        description: "Whether it would be taken, and each fault by its pointer below `/payload`.",
        schema: CheckedPayload,
        example: { valid: false, errors: [{ pointer: "/payload/angle", detail: "must be number" }] },
      },
    },
    problems: ["invalid-room-id", "job-not-found", "internal-job-not-configured"],
  },
  listRoomTasks: {
    id: "listRoomTasks",
    method: "GET",
    path: "/rooms/{room_id}/tasks",
    tag: "tasks",
    summary: "List the tasks submitted to a room",
    params: RoomPath,
    query: Type.Object({ ...TaskListQuery.properties, ...PageQuery.properties }),
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
      ...TaskListQuery.properties,
      job: Type.Optional(Type.String({ description: "Only those of this job, by its full name." })),
      ...PageQuery.properties,
    }),
    answers: taskList,
    problems: ["job-not-found"],
  },
  countTasks: {
    id: "countTasks",
    method: "GET",
    path: "/tasks/count",
    tag: "tasks",
    summary: "Count the tasks that a query picks",
    description: "Of all rooms the token may see, for as long as half a second.",
    query: CountQuery,
    answers: {
      200: {
        description: "How many, and in which states.",
        schema: TaskCount,
        example: {
          ...{ count: 3, exact: true },
          by_state: { pending: 0, claimed: 0, running: 1, completed: 0, failed: 2, cancelled: 0 },
        },
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
