import Type from "typebox";
import { labelsMax } from "../../core/lane.ts";
import { askingProfiles, doors, profileNames, workerStates } from "../../core/liveness.ts";
import { workerEventTypes } from "../../core/worker-event.ts";
import { DrainView, PauseView } from "./control-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, Time, Uuid } from "./words.ts";

export const Measure = Type.Optional(orNull(Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })));

/** What a worker says of itself when it comes. */
export const WorkerStart = Type.Object({
  name: Type.Optional(orNull(Name)),
  hostname: Type.Optional(orNull(Name)),
  os: Type.Optional(orNull(Name)),
  version: Type.Optional(orNull(Name)),
  concurrency: Type.Optional(orNull(Type.Integer({ minimum: 1, maximum: 10_000 }))),
  queues: Type.Optional(orNull(Type.Array(Name, { maxItems: 100 }))),
  labels: Type.Optional(mapOf(Type.String({ maxLength: 255 }), { maxProperties: labelsMax })),
  profile: Type.Optional(
    oneOf(askingProfiles, {
      description: "`amqp`: it hears of tasks from a message broker, and each of its tasks has a lease of its own.",
    }),
  ),
});

/** What a worker takes of its machine. */
export const Measures = Type.Object({ cpuPercent: Measure, ramBytes: Measure, loopLagMs: Measure });

/** How a worker is. */
export const WorkerBeat = Type.Object({
  status: Type.Optional(Measures),
  blocked_ms: Measure,
});

export const Worker = Type.Object({ id: Uuid, last_heartbeat: Time });

/** The answer to a heartbeat also carries what the worker has to know. */
export const HeartbeatAnswer = Type.Object({
  id: Uuid,
  last_heartbeat: Time,
  cancel: Type.Array(Uuid, {
    description: "Tasks of this worker that were cancelled, ran out of time or went to others: stop them.",
  }),
  commands: Type.Array(AnyObject, {
    description:
      "What an operator asks of this worker: `id`, `type` and more; each comes again until it is acknowledged.",
  }),
});

const shown = {
  id: Uuid,
  door: oneOf([...new Set(Object.values(doors))]),
  profile: oneOf(profileNames),
  state: oneOf(workerStates),
  name: orNull(Type.String()),
  hostname: orNull(Type.String()),
  os: orNull(Type.String()),
  version: orNull(Type.String({ description: "Of its program, as it says." })),
  labels: mapOf(Type.String()),
  capacity: orNull(Type.Integer({ description: "How many tasks it runs side by side, as it says." })),
  held: Type.Integer({ description: "How many tasks are in its hands, counted up to 1,000." }),
  paused: Type.Boolean(),
  pause: orNull(PauseView),
  draining: Type.Boolean(),
  drain: orNull(DrainView),
  concurrency_limit: orNull(Type.Integer({ description: "It is given no more than so many tasks at a time." })),
  status: Type.Object({
    cpuPercent: orNull(Type.Number()),
    ramBytes: orNull(Type.Number()),
    loopLagMs: orNull(Type.Number()),
  }),
  blocked_ms: orNull(
    Type.Number({ description: "How long its code had not let go of the processor, by its last beat." }),
  ),
  deaf: Type.Boolean({ description: "It beats over `/work` and does not echo: it gets no more tasks until it does." }),
  seen_at: Time,
  last_heartbeat: Time,
  job_count: Type.Integer({ description: "All the worker's jobs." }),
  may: Type.Object(
    { operate: Type.Boolean({ description: "Pause, drain and resize it, and take its tasks away." }) },
    { description: "What the caller may do to it." },
  ),
};

export const WorkerSummary = Type.Object(shown);

export const WorkerDetail = Type.Object({
  ...shown,
  queues: orNull(Type.Array(Type.String())),
  specs: mapOf(orNull(Type.String()), {
    description: "Its jobs, with the checksum it announced for each.",
  }),
  holds: Type.Array(Uuid, { description: "The tasks in its hands, oldest first; not more than 1,000." }),
  about: Type.Record(Type.String(), Type.Unknown(), {
    description: "What else it says about itself, as its runtime, version and concurrency.",
  }),
  created_at: Time,
});

export const WorkerPath = Type.Object({ worker_id: Uuid });

export const WorkerQuery = Type.Object({
  find_deleted: Type.Optional(Type.Boolean({ description: "Removed workers too." })),
  state: Type.Optional(oneOf(workerStates)),
  room: Type.Optional(Type.String({ description: "Linked to a job that this room sees." })),
  label: Type.Optional(Type.String({ description: "`key=value`." })),
});

export const WorkerEvent = Type.Object({
  at: Time,
  type: Type.String({ description: workerEventTypes.map((type) => `\`${type}\``).join(", ") }),
  code: orNull(Type.String()),
  data: Type.Unknown(),
});
