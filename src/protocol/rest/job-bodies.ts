import Type from "typebox";
import { durationMsMax } from "../../core/checks.ts";
import { labelsMax } from "../../core/lane.ts";
import { PauseView } from "./control-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, Time, Uuid } from "./words.ts";

const Milliseconds = Type.Integer({ minimum: 0, maximum: durationMsMax });

export const RetryPolicy = Type.Object({
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  baseMs: Type.Optional(Milliseconds),
  capMs: Type.Optional(Milliseconds),
});

export const Policy = Type.Object({
  retry: Type.Optional(RetryPolicy),
  timeoutMs: Type.Optional(Milliseconds),
  stallMs: Type.Optional(Milliseconds),
  startWithinMs: Type.Optional(Milliseconds),
  stuckTaskMs: Type.Optional(Milliseconds),
  onWorkerLost: Type.Optional(oneOf(["requeue", "fail"])),
  maxRequeues: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  onChildFailure: Type.Optional(oneOf(["stall", "failWhenSettled", "failFast"])),
  logs: Type.Optional(Type.Boolean()),
});

/** What workers must carry for every task of a job. */
export const JobLabels = mapOf(Type.String({ maxLength: 255 }), {
  maxProperties: labelsMax,
  description: "Labels that a worker must carry to be given any task of this job; a task's own are added to them.",
});

/** A webhook's settings. What they may be exactly is checked where jobs are registered. */
export const Push = Type.Object({
  url: Type.String({ minLength: 1, maxLength: 2_048 }),
  timeoutMs: Type.Optional(Milliseconds),
  callbackMs: Type.Optional(Milliseconds),
  maxConcurrent: Type.Optional(Type.Integer({ minimum: 1 })),
  headers: Type.Optional(mapOf(Type.String())),
  secret: Type.Optional(orNull(Type.String())),
});

/** The real client of the documents sends `schema_`; where both are there, `schema` counts. */
export const JobRegister = Type.Object({
  category: Type.String(),
  name: Type.String(),
  schema: Type.Optional(AnyObject),
  schema_: Type.Optional(AnyObject),
  output: Type.Optional(AnyObject),
  queue: Type.Optional(orNull(Name)),
  labels: Type.Optional(orNull(JobLabels)),
  push: Type.Optional(orNull(Push)),
  policy: Type.Optional(Policy),
  worker_id: Type.Optional(orNull(Uuid)),
});

export const JobSummary = Type.Object({
  full_name: Type.String(),
  category: Type.String(),
  name: Type.String(),
  workers: Type.Array(Uuid),
  pause: orNull(PauseView),
});

export const Job = Type.Object({
  id: Uuid,
  room_id: Type.String(),
  category: Type.String(),
  name: Type.String(),
  full_name: Type.String(),
  schema: AnyObject,
  workers: Type.Array(Uuid),
  worker_id: orNull(Uuid),
  output: orNull(AnyObject),
  queue: orNull(Type.String()),
  labels: orNull(JobLabels),
  policy: orNull(Policy),
  push: orNull(AnyObject),
  checksum: Type.String(),
  pause: orNull(PauseView),
  created_at: Time,
});

export const Room = Type.Object({ room_id: Type.String(), job_count: Type.Integer() });

export const PushSecret = Type.Object({ secret: Type.String() });
