import Type from "typebox";
import {
  AckWords,
  Command,
  CommandPath,
  ConcurrencyWords,
  DrainManyWords,
  DrainPath,
  DrainPlan,
  DrainWords,
  NoteWords,
  PauseWords,
} from "./control-bodies.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { Task } from "./task-bodies.ts";
import { PageQuery, pageOf, Uuid } from "./words.ts";
import { WorkerDetail, WorkerPath } from "./worker-bodies.ts";

const worker = { 200: { description: "The worker.", schema: WorkerDetail, example: examples.workerDetail } };
const plan = { description: "The plan, as it stands.", schema: DrainPlan, example: examples.drainPlan };
const whose = "For an admin, and for the worker's owner.";

/** What operators do to workers. */
export const controlRoutes = {
  pauseWorker: {
    id: "pauseWorker",
    method: "POST",
    path: "/workers/{worker_id}/pause",
    tag: "control",
    summary: "Pause a worker",
    description: `It is given nothing new; what it has goes on. With \`for_seconds\` or \`until\` it ends by itself. ${whose}`,
    params: WorkerPath,
    body: PauseWords,
    bodyOptional: true,
    example: { note: "the disk is full", for_seconds: 600 },
    answers: worker,
    problems: ["worker-not-found"],
  },
  resumeWorker: {
    id: "resumeWorker",
    method: "POST",
    path: "/workers/{worker_id}/resume",
    tag: "control",
    summary: "Let a worker go on",
    description: `Ends a pause and a drain. ${whose}`,
    params: WorkerPath,
    body: NoteWords,
    bodyOptional: true,
    example: {},
    answers: worker,
    problems: ["worker-not-found"],
  },
  drainWorker: {
    id: "drainWorker",
    method: "POST",
    path: "/workers/{worker_id}/drain",
    tag: "control",
    summary: "Drain a worker",
    description:
      "It finishes what it runs and is given nothing new. What it still holds at the deadline goes to others, and nothing " +
      `counts against it. ${whose}`,
    params: WorkerPath,
    body: DrainWords,
    bodyOptional: true,
    example: { note: "new kernel", deadline_seconds: 120 },
    answers: worker,
    problems: ["worker-not-found"],
  },
  limitWorker: {
    id: "limitWorker",
    method: "POST",
    path: "/workers/{worker_id}/concurrency",
    tag: "control",
    summary: "Say how many tasks a worker may hold",
    description: `Null takes the limit back. ${whose}`,
    params: WorkerPath,
    body: ConcurrencyWords,
    example: { value: 4 },
    answers: worker,
    problems: ["worker-not-found"],
  },
  evictTask: {
    id: "evictTask",
    method: "POST",
    path: "/tasks/{task_id}/evict",
    tag: "control",
    summary: "Take a task from its worker",
    description: `It waits again, at its old place; neither a failure nor a loss is counted. ${whose}`,
    params: Type.Object({ task_id: Uuid }),
    body: NoteWords,
    bodyOptional: true,
    example: { note: "it hangs" },
    answers: { 200: { description: "The task.", schema: Task, example: examples.task } },
    problems: ["task-not-found", "invalid-task-transition", "lease-lost"],
  },
  drainWorkers: {
    id: "drainWorkers",
    method: "POST",
    path: "/workers/drain",
    tag: "control",
    summary: "Drain all workers with a label, some at a time",
    description:
      "The next begins when one of them holds nothing any more. An admin drains all that carry the label, anybody else " +
      "his own.",
    body: DrainManyWords,
    example: { label: "zone=a", at_a_time: 3, deadline_seconds: 120 },
    answers: { 201: plan },
    problems: ["worker-not-found"],
  },
  listDrains: {
    id: "listDrains",
    method: "GET",
    path: "/drains",
    tag: "control",
    summary: "List plans to drain that are not through",
    description: "An admin sees all of them, anybody else his own.",
    answers: {
      200: {
        description: "The plans, oldest first.",
        schema: Type.Object({ items: Type.Array(DrainPlan) }),
        example: { items: [examples.drainPlan] },
      },
    },
    problems: [],
  },
  stopDrain: {
    id: "stopDrain",
    method: "DELETE",
    path: "/drains/{drain_id}",
    tag: "control",
    summary: "Stop a plan to drain",
    description: "Whoever drains already goes on; nobody else begins.",
    params: DrainPath,
    answers: { 200: plan },
    problems: ["drain-not-found"],
  },
  listWorkerCommands: {
    id: "listWorkerCommands",
    method: "GET",
    path: "/workers/{worker_id}/commands",
    tag: "control",
    summary: "List what a worker was told to do",
    params: WorkerPath,
    query: PageQuery,
    answers: {
      200: {
        description: "A page of commands, newest first.",
        schema: pageOf(Command),
        example: examples.page(examples.command),
      },
    },
    problems: ["worker-not-found"],
  },
  ackCommand: {
    id: "ackCommand",
    method: "POST",
    path: "/workers/{worker_id}/commands/{command_id}/ack",
    tag: "control",
    summary: "Acknowledge a command",
    description: "For the worker's owner alone. The first word counts; saying it again changes nothing.",
    params: CommandPath,
    body: AckWords,
    bodyOptional: true,
    example: { ok: true },
    answers: { 200: { description: "The command.", schema: Command, example: examples.command } },
    problems: ["worker-not-found", "command-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
