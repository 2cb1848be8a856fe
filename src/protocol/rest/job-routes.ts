import Type from "typebox";
import * as examples from "./examples.ts";
import { Job, JobRegister, JobSummary, PushSecret, Room } from "./job-bodies.ts";
import type { RouteSpec } from "./route.ts";
import { StatusQuery, Task } from "./task-bodies.ts";
import { AnyObject, Find, JobName, PageQuery, pageOf, RoomPath } from "./words.ts";

const JobPath = Type.Object({ ...RoomPath.properties, job_name: JobName });

const jobList = {
  200: {
    description: "A page of jobs, newest first.",
    schema: pageOf(JobSummary),
    example: examples.page(examples.jobSummary),
  },
};

const registered = { schema: Job, example: examples.job };

export const jobRoutes = {
  registerJob: {
    id: "registerJob",
    method: "PUT",
    path: "/rooms/{room_id}/jobs",
    tag: "jobs",
    summary: "Register a job, and a worker for it",
    description:
      "Without `worker_id` a new worker is registered along with it. A job that exists must have the same schema. " +
      "`@global` and `@internal` need a superuser. A job with `push` is sent to its URL, and no worker is registered for it.",
    params: RoomPath,
    body: JobRegister,
    example: { category: "modifiers", name: "Rotate", schema: examples.job.schema },
    answers: {
      200: { description: "The job was there; the worker is linked to it.", ...registered },
      201: { description: "The job is new, or is back.", ...registered },
    },
    problems: ["invalid-room-id", "invalid-category", "worker-not-found", "schema-conflict"],
  },
  listRoomJobs: {
    id: "listRoomJobs",
    method: "GET",
    path: "/rooms/{room_id}/jobs",
    tag: "jobs",
    summary: "List the jobs a room sees",
    description: "Its own and those of `@global` and `@internal`.",
    params: RoomPath,
    query: PageQuery,
    answers: jobList,
    problems: ["invalid-room-id"],
  },
  listJobTasks: {
    id: "listJobTasks",
    method: "GET",
    path: "/rooms/{room_id}/jobs/{job_name+}/tasks",
    tag: "jobs",
    summary: "List a job's tasks in a room",
    params: JobPath,
    query: Type.Object({ ...StatusQuery.properties, ...PageQuery.properties }),
    answers: {
      200: {
        description: "A page of tasks, newest first.",
        schema: pageOf(Task),
        example: examples.page(examples.task),
      },
    },
    problems: ["invalid-room-id", "job-not-found"],
  },
  getJobSchema: {
    id: "getJobSchema",
    method: "GET",
    path: "/rooms/{room_id}/jobs/{job_name+}/schema",
    tag: "jobs",
    summary: "Read the JSON Schema of a job's payload",
    params: JobPath,
    answers: {
      200: {
        description: "The schema.",
        schema: AnyObject,
        type: "application/schema+json",
        example: examples.job.schema,
      },
    },
    problems: ["invalid-room-id", "job-not-found"],
  },
  getJob: {
    id: "getJob",
    method: "GET",
    path: "/rooms/{room_id}/jobs/{job_name+}",
    tag: "jobs",
    summary: "Read a job",
    params: JobPath,
    answers: { 200: { description: "The job.", ...registered } },
    problems: ["invalid-room-id", "job-not-found"],
  },
  listJobs: {
    id: "listJobs",
    method: "GET",
    path: "/jobs",
    tag: "jobs",
    summary: "List the jobs of all rooms the token may see",
    query: Type.Object({ find: Find, ...PageQuery.properties }),
    answers: jobList,
    problems: [],
  },
  getPushSecret: {
    id: "getPushSecret",
    method: "GET",
    path: "/jobs/{job_name+}/push-secret",
    tag: "jobs",
    summary: "Read what the requests of a push job are signed with",
    description: "For superusers.",
    params: Type.Object({ job_name: JobName }),
    answers: {
      200: {
        description: "The secret.",
        schema: PushSecret,
        example: { secret: "5f9ac1f4a1f24e4a9b7f0f5a3a2c3d4e5f9ac1f4a1f24e4a9b7f0f5a3a2c3d4e" },
        headers: { "Cache-Control": "no-store" },
      },
    },
    problems: ["job-not-found", "not-found"],
  },
  listRooms: {
    id: "listRooms",
    method: "GET",
    path: "/rooms",
    tag: "jobs",
    summary: "List the rooms that have jobs, as far as the token may see them",
    query: PageQuery,
    answers: {
      200: {
        description: "A page of rooms, by name.",
        schema: pageOf(Room),
        example: examples.page({ room_id: "@global", job_count: 1 }),
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
