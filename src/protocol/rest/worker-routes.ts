import Type from "typebox";
import * as examples from "./examples.ts";
import { JobSummary } from "./job-bodies.ts";
import type { RouteSpec } from "./route.ts";
import { StatusQuery, Task } from "./task-bodies.ts";
import { PageQuery, pageOf, RoomPath } from "./words.ts";
import {
  HeartbeatAnswer,
  Worker,
  WorkerBeat,
  WorkerDetail,
  WorkerEvent,
  WorkerPath,
  WorkerQuery,
  WorkerStart,
  WorkerSummary,
} from "./worker-bodies.ts";

const workerList = {
  200: {
    description: "A page of workers, newest first.",
    schema: pageOf(WorkerSummary),
    example: examples.page(examples.workerSummary),
  },
};

export const workerRoutes = {
  createWorker: {
    id: "createWorker",
    method: "POST",
    path: "/workers",
    tag: "workers",
    summary: "Register a worker",
    description:
      "It has to beat at least every 60 seconds, or it is given up with what it holds. With `queues` it gets tasks of " +
      "these queues alone; with `labels` also tasks that ask for them. With the profile `amqp` it is given up after 120 " +
      "seconds, its tasks run as soon as they are claimed, and each has to be extended within 120 seconds.",
    body: WorkerStart,
    bodyOptional: true,
    example: { name: "press-1", labels: { gpu: "yes" } },
    answers: { 201: { description: "The worker.", schema: Worker, example: examples.workerCreated } },
    problems: [],
  },
  listWorkers: {
    id: "listWorkers",
    method: "GET",
    path: "/workers",
    tag: "workers",
    summary: "List workers",
    query: Type.Object({ ...WorkerQuery.properties, ...PageQuery.properties }),
    answers: workerList,
    problems: ["invalid-room-id"],
  },
  getWorker: {
    id: "getWorker",
    method: "GET",
    path: "/workers/{worker_id}",
    tag: "workers",
    summary: "Read a worker",
    params: WorkerPath,
    answers: { 200: { description: "The worker.", schema: WorkerDetail, example: examples.workerDetail } },
    problems: ["worker-not-found"],
  },
  beatWorker: {
    id: "beatWorker",
    method: "PATCH",
    path: "/workers/{worker_id}",
    tag: "workers",
    summary: "Send a heartbeat",
    description:
      "For the worker's owner alone. The body may say how the worker is. The answer says which of its tasks were " +
      "cancelled, or ran out of time.",
    params: WorkerPath,
    body: WorkerBeat,
    bodyOptional: true,
    example: { status: { loopLagMs: 3 }, blocked_ms: 0 },
    answers: { 200: { description: "The worker.", schema: HeartbeatAnswer, example: examples.heartbeat } },
    problems: ["worker-not-found"],
  },
  deleteWorker: {
    id: "deleteWorker",
    method: "DELETE",
    path: "/workers/{worker_id}",
    tag: "workers",
    summary: "Say goodbye for a worker",
    description: "What it holds ends as its profile and the tasks' policies say.",
    params: WorkerPath,
    answers: { 204: { description: "It is gone." } },
    problems: ["worker-not-found"],
  },
  listWorkerTasks: {
    id: "listWorkerTasks",
    method: "GET",
    path: "/workers/{worker_id}/tasks",
    tag: "workers",
    summary: "List the tasks a worker holds or ended",
    params: WorkerPath,
    query: Type.Object({ ...StatusQuery.properties, ...PageQuery.properties }),
    answers: {
      200: {
        description: "A page of tasks, newest first.",
        schema: pageOf(Task),
        example: examples.page(examples.task),
      },
    },
    problems: ["worker-not-found"],
  },
  listWorkerJobs: {
    id: "listWorkerJobs",
    method: "GET",
    path: "/workers/{worker_id}/jobs",
    tag: "workers",
    summary: "List the jobs a worker can do",
    params: WorkerPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of jobs, newest first.",
        schema: pageOf(JobSummary),
        example: examples.page(examples.jobSummary),
      },
    },
    problems: ["worker-not-found"],
  },
  listWorkerEvents: {
    id: "listWorkerEvents",
    method: "GET",
    path: "/workers/{worker_id}/events",
    tag: "workers",
    summary: "Read a worker's history",
    params: WorkerPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of events, oldest first.",
        schema: pageOf(WorkerEvent),
        example: examples.page(examples.workerEvent),
      },
    },
    problems: ["worker-not-found"],
  },
  listRoomWorkers: {
    id: "listRoomWorkers",
    method: "GET",
    path: "/rooms/{room_id}/workers",
    tag: "workers",
    summary: "List workers linked to a job that a room sees",
    params: RoomPath,
    query: PageQuery,
    answers: workerList,
    problems: ["invalid-room-id"],
  },
} as const satisfies Record<string, RouteSpec>;
