import Type from "typebox";
import type { RouteSpec } from "./route.ts";
import { mapOf, orNull, Time, Uuid } from "./words.ts";

const count = (description: string) => orNull(Type.Integer({ description }));
const amount = (description: string) => orNull(Type.Number({ description }));

const Load = Type.Object({
  connections: Type.Object({
    http: count("Open connections that speak HTTP."),
    sockets: count("Connections of Socket.IO."),
    work: count("Connections to `/work`."),
  }),
  workers: count("Workers that are heard of at this server."),
  tasks: count("Tasks that this server handed out and that have not ended."),
  loop_lag_ms: amount("How late its event loop was in the last second, on average."),
  loop_lag_p99_ms: amount("The same at the 99th percentile."),
  cpu_percent: amount("Of one core, in the last second."),
  memory_bytes: count("Memory of the process."),
});

export const Node = Type.Object({
  id: Uuid,
  address: orNull(Type.String({ description: "Where it listens; null where it took any free port." })),
  version: Type.String(),
  started_at: Time,
  seen_at: Time,
  online: Type.Boolean({ description: "False where it has missed its pulses and did not sign off." }),
  leader: Type.Boolean({ description: "Whether it sweeps for all of them." }),
  clock_skew_ms: Type.Integer({ description: "The database's clock minus its machine's." }),
  load: Load,
});

export const nodeExample = {
  id: "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5",
  address: "10.0.0.2:7070",
  version: "0.1.0",
  started_at: "2026-01-31T12:00:00.000Z",
  seen_at: "2026-01-31T12:34:56.789Z",
  online: true,
  leader: true,
  clock_skew_ms: -3,
  load: {
    connections: { http: 12, sockets: 4, work: 30 },
    ...{ workers: 42, tasks: 120, loop_lag_ms: 0.4, loop_lag_p99_ms: 2.1, cpu_percent: 35, memory_bytes: 157_286_400 },
  },
};

const Thresholds = Type.Object({
  timeout_seconds: amount("A task of RabbitMQ's consumers that runs longer, and is silent, has timed out."),
  stall_seconds: amount("Silent is one without an event for so long."),
  max_lease_requeues: Type.Integer({
    description: "How many losses a task survives where neither it nor its job says so.",
  }),
});

export const nodeRoutes = {
  listNodes: {
    id: "listNodes",
    method: "GET",
    path: "/nodes",
    tag: "nodes",
    summary: "List the servers on this database",
    description: "What a server of another version does not say of its load is null.",
    answers: {
      200: {
        description: "Every server that did not sign off in the last day, the longest running first.",
        schema: Type.Object({ items: Type.Array(Node) }),
        example: { items: [nodeExample] },
      },
    },
    problems: [],
  },
  sweep: {
    id: "sweep",
    method: "POST",
    path: "/sweep",
    tag: "nodes",
    summary: "Do now what time does by itself",
    description:
      "One pass over everything that is due: leases that have ended, tasks that have stalled, workers that fell silent. " +
      "The leader does it by itself; a pass beside it does no harm. For superusers.",
    answers: {
      200: {
        description: "How many things each step has changed; steps that found nothing are left out.",
        schema: Type.Object({ swept: mapOf(Type.Integer()), thresholds: Thresholds }),
        example: {
          ...{ swept: { due: 2 } },
          thresholds: { timeout_seconds: 21_600, stall_seconds: 1_800, max_lease_requeues: 3 },
        },
      },
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
