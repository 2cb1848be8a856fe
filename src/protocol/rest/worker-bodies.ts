import Type from "typebox";
import { profileNames, workerStates } from "../../core/liveness.ts";
import { AnyObject, oneOf, orNull, Time, Uuid } from "./words.ts";

export const Worker = Type.Object({ id: Uuid, last_heartbeat: Time });

/** The answer to a heartbeat also carries what the worker has to know. */
export const HeartbeatAnswer = Type.Object({
  id: Uuid,
  last_heartbeat: Time,
  cancel: Type.Array(Uuid, { description: "Tasks of this worker that were cancelled: stop them." }),
  commands: Type.Array(AnyObject, { description: "What an operator asks of this worker." }),
});

export const WorkerSummary = Type.Object({
  id: Uuid,
  last_heartbeat: Time,
  job_count: Type.Integer({ description: "All the worker's jobs." }),
  profile: oneOf(profileNames),
  state: oneOf(workerStates),
  name: orNull(Type.String()),
  hostname: orNull(Type.String()),
});

export const WorkerDetail = Type.Object({
  id: Uuid,
  profile: oneOf(profileNames),
  state: oneOf(workerStates),
  name: orNull(Type.String()),
  hostname: orNull(Type.String()),
  os: orNull(Type.String()),
  queues: orNull(Type.Array(Type.String())),
  specs: Type.Record(Type.String(), orNull(Type.String()), {
    description: "Its jobs, with the checksum it announced for each.",
  }),
  labels: Type.Record(Type.String(), Type.String()),
  paused: Type.Boolean(),
  draining: Type.Boolean(),
  status: Type.Object({
    cpuPercent: orNull(Type.Number()),
    ramBytes: orNull(Type.Number()),
    loopLagMs: orNull(Type.Number()),
  }),
  created_at: Time,
  seen_at: Time,
  last_heartbeat: Time,
  job_count: Type.Integer(),
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
  type: Type.String(),
  code: orNull(Type.String()),
  data: Type.Unknown(),
});
