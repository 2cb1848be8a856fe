import Type from "typebox";
import type { RouteSpec } from "./route.ts";
import { orNull, Time, Uuid } from "./words.ts";
import { WorkerPath } from "./worker-bodies.ts";

const Beat = Type.Object({
  at: Time,
  gap_ms: orNull(Type.Number({ description: "Since the one before." })),
  loop_lag_ms: orNull(Type.Number()),
  cpu_percent: orNull(Type.Number()),
  ram_bytes: orNull(Type.Number()),
});

const Beats = Type.Object({
  node_id: Uuid,
  heard_here: Type.Boolean({ description: "Whether this server has heard of the worker since its own start." }),
  every_ms: orNull(Type.Integer({ description: "How often a worker of this kind is to beat." })),
  items: Type.Array(Beat),
});

const SpecMatch = Type.Object({
  job_name: Type.String({ description: "Full name." }),
  announced: orNull(Type.String({ description: "Its checksum; null: it is fit for whatever is registered." })),
  current: orNull(Type.String({ description: "The registered checksum; null: there is no such job any more." })),
  matches: orNull(Type.Boolean({ description: "Whether it is given tasks; null where nothing is registered." })),
  tasks_done: Type.Integer({
    description: "How many it has completed, among the newest 1,000 tasks that ended in its hands.",
  }),
});

const checksum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

export const watchRoutes = {
  listWorkerBeats: {
    id: "listWorkerBeats",
    method: "GET",
    path: "/workers/{worker_id}/beats",
    tag: "workers",
    summary: "See how evenly a worker beats",
    description:
      "The last 60 beats that the asked server has heard, oldest first, with what the worker said along with them. Other " +
      "servers may have heard others. None of it is kept.",
    params: WorkerPath,
    answers: {
      200: {
        description: "The beats.",
        schema: Beats,
        example: {
          ...{ node_id: "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5", heard_here: true, every_ms: 1_000 },
          items: [
            {
              at: "2026-01-31T12:34:56.789Z",
              gap_ms: 1_002,
              loop_lag_ms: 0.4,
              cpu_percent: 35,
              ram_bytes: 157_286_400,
            },
          ],
        },
      },
    },
    problems: ["worker-not-found"],
  },
  listWorkerSpecs: {
    id: "listWorkerSpecs",
    method: "GET",
    path: "/workers/{worker_id}/specs",
    tag: "workers",
    summary: "Compare a worker's specs with the registered ones",
    params: WorkerPath,
    answers: {
      200: {
        description: "Its jobs, by name.",
        schema: Type.Object({ items: Type.Array(SpecMatch) }),
        example: {
          items: [
            {
              ...{ job_name: "lab:modifiers:Rotate", announced: checksum, current: checksum },
              ...{ matches: true, tasks_done: 12 },
            },
          ],
        },
      },
    },
    problems: ["worker-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
