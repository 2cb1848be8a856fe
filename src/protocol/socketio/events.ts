// Every event of the Socket.IO door, once: for the door that takes and sends them, for clients, and for
// docs/protocol/socketio.md. Each carries one JSON object.

import Type, { type Static } from "typebox";
import { alertSeverities } from "../../core/alert.ts";
import { workerEventTypes } from "../../core/worker-event.ts";
import { LogLine, Progress } from "../rest/task-bodies.ts";
import { JobName, Name, oneOf, orNull, ProblemBody, Status, Time, Uuid } from "../rest/words.ts";

const ProviderName = Type.String({ description: "Full name, `room:category:name`." });

/** What clients send. Each may be sent with an acknowledgement, and is answered then. */
export const clientEvents = {
  join_job_room: Type.Object({ job_name: JobName, worker_id: Uuid }),
  leave_job_room: Type.Object({ job_name: JobName, worker_id: Uuid }),
  join_provider_room: Type.Object({ provider_name: ProviderName, worker_id: Uuid }),
  leave_provider_room: Type.Object({ provider_name: ProviderName, worker_id: Uuid }),
  room_join: Type.Object({ room_id: Name }),
  room_leave: Type.Object({ room_id: Name }),
  feed_join: Type.Object({}),
  feed_leave: Type.Object({}),
  task_follow: Type.Object({ task_id: Uuid }),
  task_unfollow: Type.Object({ task_id: Uuid }),
} as const;

/** The answer to each of them, where one is asked for. */
export const EventAnswer = Type.Union([
  Type.Object({ ok: Type.Literal(true) }),
  Type.Object({ ok: Type.Literal(false), problem: ProblemBody }),
]);

export const TaskStatusEvent = Type.Object({
  id: Uuid,
  name: Type.String({ description: "Full name of the job." }),
  room_id: Type.String(),
  status: Status,
  created_at: Time,
  started_at: orNull(Time),
  completed_at: orNull(Time),
  queue_position: orNull(Type.Integer({ description: "From 1; null unless the task is ready to be claimed." })),
  worker_id: orNull(Uuid),
  error: orNull(Type.String({ description: "At most 1,000 characters; the whole text is the task's." })),
  version: Type.Integer({ description: "Rises with every change of the task." }),
});

/** What the server sends. */
export const serverEvents = {
  task_available: Type.Object({ job_name: JobName, room_id: Type.String(), task_id: Uuid }),
  task_cancel: Type.Object({ task_id: Uuid, worker_id: Uuid }),
  task_status_event: TaskStatusEvent,
  task_progress: Type.Object({
    id: Uuid,
    room_id: Type.String(),
    progress: orNull(Progress),
    version: Type.Integer({ description: "Of the task, as it was looked at." }),
  }),
  task_log: Type.Object({
    task_id: Uuid,
    from: Type.Integer({ description: "How many lines were before these." }),
    lines: Type.Array(LogLine),
  }),
  feed_skipped: Type.Object({ events: Type.Integer() }),
  jobs_invalidate: Type.Object({}),
  worker_alert: Type.Object({
    worker_id: Uuid,
    severity: oneOf(alertSeverities),
    code: Type.String(),
    message: Type.String({ description: "At most 1,000 characters; the whole text is in the worker's history." }),
    task_id: orNull(Uuid),
    at: Time,
  }),
  worker_event: Type.Object({
    worker_id: Uuid,
    type: oneOf(workerEventTypes),
    at: Time,
    data: Type.Unknown({ description: "As in the worker's history; null where there is none, or it is long." }),
  }),
  providers_invalidate: Type.Object({}),
  provider_request: Type.Object({
    request_id: Type.String(),
    provider_name: ProviderName,
    params: Type.String({ description: "JSON text of an object whose values are texts." }),
  }),
  provider_result_ready: Type.Object({ provider_name: ProviderName, request_hash: Type.String() }),
} as const;

export type ClientEvent = keyof typeof clientEvents;
export type ServerEvent = keyof typeof serverEvents;
export type ClientEventData<E extends ClientEvent> = Static<(typeof clientEvents)[E]>;
export type ServerEventData<E extends ServerEvent> = Static<(typeof serverEvents)[E]>;
export type EventAnswer = Static<typeof EventAnswer>;
