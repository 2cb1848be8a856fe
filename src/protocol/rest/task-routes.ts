import Type from "typebox";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import {
  CancelAnswer,
  ClaimAnswer,
  ClaimedTask,
  LogLine,
  LogLines,
  StreamQuery,
  Task,
  TaskClaim,
  TaskClaimById,
  TaskDefer,
  TaskEvent,
  TaskExtend,
  TaskPath,
  TaskProgress,
  TaskRelease,
  TaskUpdate,
} from "./task-bodies.ts";
import { TaskDetail } from "./task-detail.ts";
import { IdempotencyHeader, PageQuery, PreferHeader, pageOf } from "./words.ts";

const LeaseHeader = Type.Object({
  "leadhand-lease": Type.Optional(
    Type.String({ maxLength: 255, description: "The lease token, instead of in the body." }),
  ),
});

const task = { description: "The task.", schema: Task, example: examples.task };
const claimedTask = { description: "The task, with its lease.", schema: ClaimedTask, example: examples.claimedTask };

const settleProblems = ["task-not-found", "invalid-task-transition", "lease-lost", "lease-token-required"] as const;

export const taskRoutes = {
  claimTasks: {
    id: "claimTasks",
    method: "POST",
    path: "/tasks/claim",
    tag: "tasks",
    summary: "Claim tasks for a worker",
    description:
      "The most urgent, then the oldest, of all jobs the worker is linked to. With `Prefer: wait=N` the answer comes " +
      "when there is something, or after N seconds. With `task_ids` these tasks alone, as consumers of a message broker " +
      "claim them: what is missing, taken or over is left out.",
    headers: Type.Object({ ...PreferHeader.properties, ...IdempotencyHeader.properties }),
    body: TaskClaim,
    example: { worker_id: examples.workerCreated.id, limit: 10 },
    answers: {
      200: {
        description: "The first task or null; with `limit` or `task_ids` all of them.",
        schema: ClaimAnswer,
        example: { task: examples.claimedTask },
        headers: { "Preference-Applied": "Sent when the answer was waited for." },
      },
    },
    problems: ["worker-not-found", "idempotency-conflict"],
  },
  getTask: {
    id: "getTask",
    method: "GET",
    path: "/tasks/{task_id}",
    tag: "tasks",
    summary: "Read a task, or wait for its end",
    description: "With `Prefer: wait=N` the answer comes when the task is final, or after N seconds.",
    params: TaskPath,
    headers: PreferHeader,
    answers: {
      200: {
        description: "The task, and what the caller may do to it.",
        schema: TaskDetail,
        example: examples.taskDetail,
        headers: { "Preference-Applied": "Sent when the answer was waited for." },
      },
    },
    problems: ["task-not-found"],
  },
  settleTask: {
    id: "settleTask",
    method: "PATCH",
    path: "/tasks/{task_id}",
    tag: "tasks",
    summary: "Start, complete, fail or cancel a task",
    params: TaskPath,
    headers: LeaseHeader,
    body: TaskUpdate,
    example: { status: "completed", result: { ok: true }, lease_token: examples.claimedTask.lease_token },
    answers: { 200: task },
    problems: settleProblems,
  },
  deleteTask: {
    id: "deleteTask",
    method: "DELETE",
    path: "/tasks/{task_id}",
    tag: "tasks",
    summary: "Delete a final task with its history",
    params: TaskPath,
    answers: { 204: { description: "It is gone." } },
    problems: ["task-not-found", "task-open"],
  },
  claimTask: {
    id: "claimTask",
    method: "POST",
    path: "/tasks/{task_id}/claim",
    tag: "tasks",
    summary: "Claim this task for a worker",
    params: TaskPath,
    body: TaskClaimById,
    example: { worker_id: examples.workerCreated.id },
    answers: { 200: claimedTask },
    problems: ["task-not-found", "worker-not-found", "invalid-task-transition"],
  },
  extendTask: {
    id: "extendTask",
    method: "POST",
    path: "/tasks/{task_id}/extend",
    tag: "tasks",
    summary: "Prolong the lease of a task that has its own",
    params: TaskPath,
    headers: LeaseHeader,
    body: TaskExtend,
    example: { seconds: 60, lease_token: examples.claimedTask.lease_token },
    answers: { 200: claimedTask },
    problems: settleProblems,
  },
  releaseTask: {
    id: "releaseTask",
    method: "POST",
    path: "/tasks/{task_id}/release",
    tag: "tasks",
    summary: "Give a task back",
    description: "It costs no failure. A checkpoint is handed to whoever claims it next.",
    params: TaskPath,
    headers: LeaseHeader,
    body: TaskRelease,
    example: { delay_seconds: 30, checkpoint: { page: 7 }, lease_token: examples.claimedTask.lease_token },
    answers: { 200: task },
    problems: settleProblems,
  },
  deferTask: {
    id: "deferTask",
    method: "POST",
    path: "/tasks/{task_id}/defer",
    tag: "tasks",
    summary: "Leave a task to its children or messages",
    description:
      "It stays running in nobody's hands and ends when so many children have, or when so many messages were counted. " +
      "Messages are published by the server, after the commit.",
    params: TaskPath,
    headers: LeaseHeader,
    body: TaskDefer,
    example: { total: 3, lease_token: examples.claimedTask.lease_token },
    answers: { 200: task },
    problems: settleProblems,
  },
  reportProgress: {
    id: "reportProgress",
    method: "POST",
    path: "/tasks/{task_id}/progress",
    tag: "tasks",
    summary: "Report progress",
    description: "As often as you like; at most one report a second is written.",
    params: TaskPath,
    headers: LeaseHeader,
    body: TaskProgress,
    example: { current: 3, total: 10, message: "rotating" },
    answers: { 204: { description: "It was taken." } },
    problems: settleProblems,
  },
  appendLogs: {
    id: "appendLogs",
    method: "POST",
    path: "/tasks/{task_id}/logs",
    tag: "tasks",
    summary: "Add lines to a task's log",
    description:
      "A line may carry an `event` with `fields`: what the handler itself calls that which happened. Events whose names " +
      "begin with `child.` are those of a coordinator's messages: whoever may work on its job may tell them.",
    params: TaskPath,
    headers: LeaseHeader,
    body: LogLines,
    example: { lines: [{ level: "info", message: "half way" }] },
    answers: { 204: { description: "They were written." } },
    problems: settleProblems,
  },
  cancelTask: {
    id: "cancelTask",
    method: "POST",
    path: "/tasks/{task_id}/cancel",
    tag: "tasks",
    summary: "Cancel a task and its open children",
    params: TaskPath,
    answers: {
      200: {
        description: "The task, and how many children went with it.",
        schema: CancelAnswer,
        example: { task: { ...examples.task, status: "cancelled" }, cancelled_children: 0 },
      },
    },
    problems: ["task-not-found", "invalid-task-transition"],
  },
  retryTask: {
    id: "retryTask",
    method: "POST",
    path: "/tasks/{task_id}/retry",
    tag: "tasks",
    summary: "Run a final task again, as a new task; tell a message broker again of one that waits",
    params: TaskPath,
    answers: { 202: { ...task, headers: { Location: "Where the new task can be read." } } },
    problems: ["task-not-found", "task-open", "job-not-found", "parent-closed", "too-many-pending", "too-many-lanes"],
  },
  listTaskEvents: {
    id: "listTaskEvents",
    method: "GET",
    path: "/tasks/{task_id}/events",
    tag: "tasks",
    summary: "Read a task's history",
    params: TaskPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of events, oldest first.",
        schema: pageOf(TaskEvent),
        example: examples.page(examples.taskEvent),
      },
    },
    problems: ["task-not-found"],
  },
  listTaskLogs: {
    id: "listTaskLogs",
    method: "GET",
    path: "/tasks/{task_id}/logs",
    tag: "tasks",
    summary: "Read a task's log",
    params: TaskPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of lines, oldest first.",
        schema: pageOf(LogLine),
        example: examples.page(examples.logLine),
      },
    },
    problems: ["task-not-found"],
  },
  listTaskChildren: {
    id: "listTaskChildren",
    method: "GET",
    path: "/tasks/{task_id}/children",
    tag: "tasks",
    summary: "List a task's children",
    params: TaskPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of tasks, newest first.",
        schema: pageOf(Task),
        example: examples.page(examples.task),
      },
    },
    problems: ["task-not-found"],
  },
  streamTask: {
    id: "streamTask",
    method: "GET",
    path: "/tasks/{task_id}/stream",
    tag: "tasks",
    summary: "Follow a task until its end",
    description:
      "Server-sent events: `task` with the task, whenever it moves, and with `logs` a `log` for each line of its log; the stream ends when the task is final.",
    params: TaskPath,
    query: StreamQuery,
    answers: { 200: { description: "Server-sent events.", schema: Type.String(), type: "text/event-stream" } },
    problems: ["task-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
