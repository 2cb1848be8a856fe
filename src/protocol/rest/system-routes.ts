import Type from "typebox";
import type { RouteSpec } from "./route.ts";
import { mapOf, oneOf, orNull, Time, Uuid } from "./words.ts";

const Store = Type.Object({
  kind: oneOf(["memory", "sqlite", "postgres"]),
  version: orNull(Type.String({ description: "Of SQLite or PostgreSQL." })),
  bytes: Type.Integer(),
  wal_bytes: orNull(Type.Integer({ description: "SQLite: of the log beside the file." })),
  tables: Type.Array(
    Type.Object({
      name: Type.String(),
      rows: orNull(Type.Integer({ description: "An estimate where there are many; null where there is none." })),
      bytes: orNull(Type.Integer({ description: "With its indexes; null on SQLite." })),
    }),
  ),
  migrations: Type.Array(Type.Object({ number: Type.Integer(), name: orNull(Type.String()) })),
  statements: Type.Array(
    Type.Object({
      name: Type.String(),
      calls: Type.Integer(),
      mean_ms: Type.Number(),
      p95_ms: Type.Number(),
      max_ms: Type.Number(),
    }),
    { description: "What this server asked of its database since its start; the 20 that took the most time in all." },
  ),
});

const Broker = Type.Object({
  url: Type.String({ description: "Without its password." }),
  connected: Type.Boolean(),
  since: orNull(Type.String({ format: "date-time", description: "Since when it is away; null while it is there." })),
  queues: Type.Array(
    Type.Object({
      name: Type.String(),
      ready: orNull(Type.Integer({ description: "Messages that wait." })),
      consumers: orNull(Type.Integer()),
    }),
  ),
});

const Sweeper = Type.Object({
  leader: Type.Boolean({ description: "Whether this server sweeps for all." }),
  last_at: orNull(Time),
  last_ms: orNull(Type.Integer({ description: "How long the last pass took." })),
  runs: Type.Integer({ description: "Passes of this server since its start." }),
  moved: mapOf(Type.Integer(), { description: "How many things each step has changed in all of them." }),
});

const System = Type.Object({
  version: Type.String(),
  node_id: Uuid,
  started_at: Time,
  now: Time,
  store: Store,
  broker: orNull(Broker),
  sweeper: Sweeper,
  retention: Type.Object({
    days: orNull(Type.Number({ description: "How long final tasks and histories are kept; null: for ever." })),
    idempotency_days: Type.Number({ description: "How long idempotency keys are kept." }),
  }),
  settings: orNull(
    Type.Array(Type.Object({ name: Type.String(), value: orNull(Type.String()), source: orNull(Type.String()) }), {
      description: "For superusers. Secrets are hidden.",
    }),
  ),
});

const example = {
  version: "0.1.0",
  node_id: "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5",
  started_at: "2026-01-31T12:00:00.000Z",
  now: "2026-01-31T12:34:56.789Z",
  store: {
    ...{ kind: "sqlite", version: "3.50.4", bytes: 1_048_576, wal_bytes: 4_152 },
    tables: [{ name: "task", rows: 1_204, bytes: null }],
    migrations: [{ number: 1, name: "begin" }],
    statements: [{ name: "exchange", calls: 812, mean_ms: 0.4, p95_ms: 0.9, max_ms: 12.1 }],
  },
  broker: null,
  sweeper: { leader: true, last_at: "2026-01-31T12:34:50.000Z", last_ms: 3, runs: 42, moved: { due: 2 } },
  retention: { days: 7, idempotency_days: 1 },
  settings: [{ name: "LEADHAND_PORT", value: "7070", source: "default" }],
};

export const systemRoutes = {
  getSystem: {
    id: "getSystem",
    method: "GET",
    path: "/system",
    tag: "nodes",
    summary: "Look at this server and its database",
    description:
      "For tokens that are not limited to rooms. The sizes of the database are found out at most every ten seconds.",
    answers: { 200: { description: "The server.", schema: System, example } },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
