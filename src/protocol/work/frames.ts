// Every message of the `/work` WebSocket, once: for the door that takes and sends them, for the SDK, and for
// docs/protocol/work.md. Text frames, one JSON object each. Unknown fields and unknown types are ignored by both sides.

import Type, { type Static } from "typebox";
import { labelsMax } from "../../core/lane.ts";
import { deferFields } from "../rest/task-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, ProblemBody, Time, Uuid } from "../rest/words.ts";

/** The version that this file describes. */
export const workProtocol = 1;
/** Subprotocols of the upgrade: the protocol itself, and the token where a header cannot be set. */
export const workSubprotocol = "leadhand.work.v1";
export const bearerSubprotocol = "bearer.";
export const workPaths = ["/work", "/v1/work"] as const;

/** Why a connection ends. */
export const closeCodes = {
  done: 1000,
  goingAway: 1001,
  serverFault: 1011,
  tryAgainLater: 1013,
  badMessage: 4400,
  unauthorized: 4401,
  heartbeatMissing: 4408,
  replaced: 4409,
  tooLarge: 4413,
} as const;

/** In one frame. */
export const resultsMax = 1_000;
export const specsMax = 1_000;
export const acksMax = 1_000;

const Attempt = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const held = { jobId: Uuid, attempt: Attempt };

export const SpecId = Type.String({
  minLength: 1,
  maxLength: 1_000,
  description: "With two or more colons the full name of a job; any other is `@global:specs:<id>`.",
});

export const Registration = Type.Object({
  protocol: Type.Optional(Type.Integer({ minimum: 1, description: "1 where absent." })),
  hostname: Type.String({ maxLength: 255 }),
  os: Type.String({ maxLength: 255 }),
  arch: Type.Optional(Type.String({ maxLength: 255 })),
  runtime: Type.Optional(Type.String({ maxLength: 255 })),
  pid: Type.Optional(Type.Integer()),
  name: Type.Optional(Type.String({ maxLength: 255, description: "Shown to people." })),
  version: Type.Optional(Type.String({ maxLength: 255, description: "Of the worker's own code." })),
  labels: Type.Optional(mapOf(Type.String(), { maxProperties: labelsMax })),
  queues: Type.Optional(
    orNull(Type.Array(Name, { maxItems: 1_000, description: "Tasks of these queues alone; of all where absent." })),
  ),
  specs: Type.Array(
    Type.Object({
      id: SpecId,
      checksum: Type.Optional(
        orNull(Type.String({ maxLength: 128, description: "Absent: fit for whatever is registered." })),
      ),
    }),
    { maxItems: specsMax },
  ),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: "How many run side by side." })),
  prefetch: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 10_000,
      description: "How many more it keeps in hand; started in the order of arrival.",
    }),
  ),
  capabilities: Type.Optional(
    Type.Object({
      logs: Type.Optional(Type.Boolean({ description: "It can send the logs of its jobs." })),
      cancel: Type.Optional(Type.Boolean({ description: "It wants to hear of cancelled jobs." })),
      echo: Type.Optional(Type.Boolean({ description: "It answers `beat` with `echo`, and is judged deaf if not." })),
      commands: Type.Optional(
        Type.Boolean({ description: "It obeys `command`, and says so in `acks`; else it is only sent `drain`." }),
      ),
      batch: Type.Optional(Type.Boolean({ description: "Several messages may come in one frame, `batch`." })),
    }),
  ),
  resume: Type.Optional(
    Type.Object({
      workerId: Uuid,
      token: Type.String({ maxLength: 255 }),
      jobs: Type.Array(Type.Object(held), { maxItems: 100_000, description: "What it still has in hand." }),
    }),
  ),
});

export const JobProgress = Type.Object({
  current: Count,
  total: Type.Optional(orNull(Count)),
  message: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
});

export const WorkLog = Type.Object({
  ...held,
  seq: Type.Optional(Type.Integer()),
  ts: Type.Optional(Time),
  level: oneOf(["debug", "info", "warn", "error"]),
  message: Type.String({ maxLength: 65_536 }),
});

export const WorkAlert = Type.Object({
  ts: Type.Optional(Time),
  severity: oneOf(["info", "warning", "error", "critical"]),
  code: Type.String({ minLength: 1, maxLength: 255 }),
  message: Type.String({ maxLength: 4_096 }),
  jobId: Type.Optional(orNull(Uuid)),
});

export const WorkerMetrics = Type.Object({
  cpuPercent: Type.Optional(orNull(Type.Number())),
  ramBytes: Type.Optional(orNull(Type.Number())),
  loopLagMs: Type.Optional(orNull(Type.Number())),
  blockedMs: Type.Optional(orNull(Type.Number())),
});

export const WorkStatus = Type.Object({
  worker: Type.Optional(WorkerMetrics),
  jobs: Type.Optional(
    Type.Array(
      Type.Object({
        ...held,
        state: Type.Optional(oneOf(["running"])),
        progress: Type.Optional(JobProgress),
      }),
      { maxItems: 10_000 },
    ),
  ),
  logs: Type.Optional(Type.Array(WorkLog, { maxItems: 10_000 })),
  alerts: Type.Optional(Type.Array(WorkAlert, { maxItems: 100 })),
});

export const WorkError = Type.Object({
  code: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
  message: Type.String(),
  details: Type.Optional(Type.Unknown()),
  retryable: Type.Optional(
    Type.Boolean({ description: "False: no policy grants another attempt. True where absent." }),
  ),
});

export const WorkResult = Type.Object({
  ...held,
  outcome: oneOf(["succeeded", "failed", "released", "deferred"]),
  data: Type.Optional(Type.Unknown({ description: "Of `succeeded`: the result." })),
  error: Type.Optional(WorkError),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, description: "Of `released`: not before then." })),
  checkpoint: Type.Optional(Type.Unknown({ description: "Of `released`: handed to the next attempt." })),
  ...deferFields,
});

/** What became of a command. */
export const CommandAck = Type.Object({
  id: Uuid,
  ok: Type.Optional(Type.Boolean({ description: "True where absent." })),
  detail: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
});

/** The only message of a worker. */
export const Heartbeat = Type.Object({
  type: Type.Literal("heartbeat"),
  seq: Count,
  sentAt: Type.Optional(Time),
  ready: Type.Integer({ minimum: 0, maximum: 20_000, description: "How many more jobs it wants now." }),
  ackedAssignment: Type.Optional(Type.Integer({ minimum: 0, description: "The highest assignment it has seen." })),
  echo: Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Integer()])),
  state: Type.Optional(oneOf(["active", "draining"])),
  registration: Type.Optional(Registration),
  status: Type.Optional(WorkStatus),
  results: Type.Optional(Type.Array(WorkResult, { maxItems: resultsMax })),
  acks: Type.Optional(Type.Array(CommandAck, { maxItems: acksMax })),
});

export const AssignedJob = Type.Object({
  id: Uuid,
  attempt: Attempt,
  spec: Type.Object({ id: SpecId, checksum: Type.String() }),
  queue: Type.String(),
  parameters: AnyObject,
  logs: Type.Object({ requested: Type.Boolean(), level: orNull(Type.String()) }),
  scheduledAt: Time,
  assignedAt: Time,
  meta: Type.Object({
    room: Type.String(),
    priority: Type.Optional(Type.Integer()),
    labels: Type.Optional(mapOf(Type.String())),
    parentId: Type.Optional(Uuid),
    retryOf: Type.Optional(Uuid),
    submitter: Type.Optional(Type.String()),
    failures: Type.Optional(Type.Integer()),
    losses: Type.Optional(Type.Integer()),
    checkpoint: Type.Optional(Type.Unknown()),
    timeoutMs: Type.Optional(Type.Integer()),
  }),
});

/** What the server sends. */
export const serverMessages = {
  welcome: Type.Object({
    type: Type.Literal("welcome"),
    protocol: Type.Integer(),
    workerId: Uuid,
    token: Type.String({ description: "For `resume`." }),
    specs: Type.Array(
      Type.Object({
        id: SpecId,
        accepted: Type.Boolean(),
        reason: Type.Optional(oneOf(["unknown", "checksum", "push", "forbidden", "internal", "deleted"])),
        checksum: Type.Optional(Type.String({ description: "The registered one, where it is another." })),
      }),
    ),
    resumed: Type.Boolean({ description: "Whether it goes on as the worker it was." }),
    lost: Type.Array(Type.Object(held), { description: "Of what it listed, what is not its own any more." }),
    heartbeatMaxGapMs: Type.Integer(),
    lostAfterMs: Type.Integer(),
    server: Type.String({ description: "The server's version." }),
  }),
  specs: Type.Object({
    type: Type.Literal("specs"),
    specs: Type.Array(Type.Object({ id: SpecId, accepted: Type.Boolean(), reason: Type.Optional(Type.String()) })),
  }),
  assignment: Type.Object({ type: Type.Literal("assignment"), seq: Count, job: AssignedJob }),
  resultAck: Type.Object({
    type: Type.Literal("resultAck"),
    ...held,
    accepted: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: "A problem's code." })),
    retry: Type.Optional(Type.Boolean({ description: "Nothing was written, and sending it again may help." })),
  }),
  cancel: Type.Object({ type: Type.Literal("cancel"), ...held }),
  drain: Type.Object({ type: Type.Literal("drain") }),
  command: Type.Object({
    type: Type.Literal("command"),
    id: Uuid,
    command: oneOf(["pause", "resume", "drain", "concurrency", "evict"]),
    note: Type.Optional(Type.String({ description: "Why, in the words of who asks for it." })),
    until: Type.Optional(orNull(Time)),
    deadline: Type.Optional(orNull(Time)),
    value: Type.Optional(orNull(Type.Integer({ minimum: 1, description: "Null: as it was." }))),
    jobId: Type.Optional(Uuid),
    attempt: Type.Optional(Attempt),
  }),
  beat: Type.Object({ type: Type.Literal("beat"), nonce: Type.Integer() }),
  error: Type.Object({ type: Type.Literal("error"), problem: ProblemBody }),
  batch: Type.Object({
    type: Type.Literal("batch"),
    messages: Type.Array(Type.Object({ type: Type.String() }), {
      description: "Several of the others; only where the worker said `capabilities.batch`.",
    }),
  }),
} as const;

export type Heartbeat = Static<typeof Heartbeat>;
export type Registration = Static<typeof Registration>;
export type WorkResult = Static<typeof WorkResult>;
export type WorkStatus = Static<typeof WorkStatus>;
export type AssignedJob = Static<typeof AssignedJob>;
export type ServerMessageType = keyof typeof serverMessages;
export type ServerMessage<T extends ServerMessageType = ServerMessageType> = Static<(typeof serverMessages)[T]>;
