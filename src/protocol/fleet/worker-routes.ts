import Type from "typebox";
import type { RouteSpec } from "../rest/route.ts";
import * as examples from "./examples.ts";
import {
  CleanupWords,
  Cleared,
  FindDeleted,
  FleetJob,
  FleetWorker,
  FunctionBlock,
  Pinged,
  PingWords,
  Registered,
  RegisterWords,
  Unregistered,
  WorkerPath,
} from "./words.ts";

const aboutWorker = { tag: "fleet", params: WorkerPath, problems: ["worker-not-found"] } as const;
const workerList = {
  description: "The workers, newest first.",
  schema: Type.Array(FleetWorker),
  example: [examples.worker],
};
const cleanup = {
  method: "POST",
  tag: "fleet",
  body: CleanupWords,
  bodyOptional: true,
  example: { note: "moved to the new lab" },
  answers: { 200: { description: "Those that are deleted now.", schema: Cleared, example: examples.cleared } },
  problems: [],
} as const;

export const fleetWorkerRoutes = {
  fleetRegister: {
    ...{ id: "fleetRegister", method: "POST", path: "/workers/register", tag: "fleet" },
    summary: "Register a new worker",
    description:
      "Answers the UUID by which it is known. With the `uuid` of a worker of yours that is not deleted, that one is there " +
      "again, with its function blocks; any other makes a new one. Counts as a ping.",
    body: RegisterWords,
    bodyOptional: true,
    example: examples.registerWords,
    answers: { 201: { description: "It is ONLINE.", schema: Registered, example: examples.registered } },
    problems: [],
  },
  fleetPing: {
    ...{ id: "fleetPing", method: "POST", path: "/workers/{uuid}/ping", ...aboutWorker },
    summary: "Send a heartbeat",
    description:
      "For the worker's owner. One that was OFFLINE is ONLINE again; what it held then stays failed. The body may say how " +
      "the worker is. The answer says what the worker has to stop, and, where it registered with `commands`, what operators " +
      "want of it.",
    body: PingWords,
    bodyOptional: true,
    example: examples.pingWords,
    answers: { 200: { description: "It is ONLINE.", schema: Pinged, example: examples.pinged } },
  },
  fleetUnregister: {
    ...{ id: "fleetUnregister", method: "POST", path: "/workers/{uuid}/unregister", ...aboutWorker },
    summary: "Say goodbye",
    description:
      "For the worker's owner; may be repeated. It is OFFLINE at once and keeps its function blocks. Jobs that it still " +
      "holds fail with the next sweep.",
    answers: { 200: { description: "It is OFFLINE.", schema: Unregistered, example: examples.unregistered } },
  },
  fleetWorkers: {
    ...{ id: "fleetWorkers", method: "GET", path: "/workers", tag: "fleet", query: FindDeleted },
    summary: "List all workers",
    description: "Of every door, all at once. Where there are tens of thousands, `GET /v1/workers` has pages.",
    answers: { 200: workerList },
    problems: [],
  },
  fleetOnline: {
    ...{ id: "fleetOnline", method: "GET", path: "/workers/online", tag: "fleet" },
    summary: "List workers that are ONLINE",
    answers: { 200: workerList },
    problems: [],
  },
  fleetWorker: {
    ...{ id: "fleetWorker", method: "GET", path: "/workers/{uuid}", ...aboutWorker, query: FindDeleted },
    summary: "Read a worker",
    answers: { 200: { description: "The worker.", schema: FleetWorker, example: examples.worker } },
  },
  fleetWorkerBlocks: {
    ...{ id: "fleetWorkerBlocks", method: "GET", path: "/workers/{uuid}/function-blocks", ...aboutWorker },
    summary: "List the function blocks of a worker",
    query: FindDeleted,
    answers: {
      200: { description: "Its blocks, by id.", schema: Type.Array(FunctionBlock), example: [examples.block] },
    },
  },
  fleetWorkerJobs: {
    ...{ id: "fleetWorkerJobs", method: "GET", path: "/workers/{uuid}/jobs", ...aboutWorker },
    summary: "List the jobs that a worker holds or ended",
    query: Type.Object({
      status: Type.Optional(Type.String({ description: "`pending`, `polled`, `pushed` or `failed`." })),
      ...FindDeleted.properties,
    }),
    answers: {
      200: { description: "The newest 500, newest first.", schema: Type.Array(FleetJob), example: [examples.fleetJob] },
    },
    problems: ["worker-not-found", "invalid-status"],
  },
  fleetDelete: {
    ...{ id: "fleetDelete", method: "DELETE", path: "/workers/{uuid}", ...aboutWorker },
    summary: "Delete a worker",
    description: "For its owner or a superuser. What it holds fails (`WORKER_DELETED`); there is no way back.",
    answers: { 204: { description: "It is deleted." } },
  },
  fleetCleanup: {
    ...{ id: "fleetCleanup", path: "/workers/cleanup", ...cleanup },
    summary: "Delete workers that have been OFFLINE for longer than 24 hours",
    description: "For superusers. The server does so by itself, too.",
  },
  fleetCleanupOffline: {
    ...{ id: "fleetCleanupOffline", path: "/workers/cleanup-offline", ...cleanup },
    summary: "Delete all workers that are OFFLINE now",
    description: "For superusers.",
  },
} as const satisfies Record<string, RouteSpec>;
