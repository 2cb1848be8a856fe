import Type from "typebox";
import { durationMsMax } from "../../core/checks.ts";
import { labelsMax, priorityMax } from "../../core/lane.ts";
import { RetryPolicy } from "./job-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, Status, Time, Uuid } from "./words.ts";

const Seconds = Type.Number({ minimum: 0, maximum: durationMsMax / 1_000 });

export const Progress = Type.Object({
  current: Type.Integer(),
  total: orNull(Type.Integer()),
  message: orNull(Type.String()),
});

const taskFields = {
  id: Uuid,
  job_name: Type.String(),
  room_id: Type.String(),
  status: Status,
  created_at: Time,
  started_at: orNull(Time),
  completed_at: orNull(Time),
  worker_id: orNull(Uuid),
  error: orNull(Type.String()),
  payload: AnyObject,
  queue_position: orNull(Type.Integer({ description: "From 1, among all pending tasks of the job." })),
  queue_position_exact: orNull(Type.Boolean({ description: "False beyond 1,000, where it is an estimate." })),
  waiting: orNull(
    Type.String({ description: "Why nobody can run a task that is pending; told where a single task is read." }),
  ),
  queue: Type.String(),
  priority: Type.Integer(),
  run_at: orNull(Time),
  attempt: Type.Integer(),
  losses: Type.Integer(),
  parent_id: orNull(Uuid),
  retry_of: orNull(Uuid),
  progress: orNull(Progress),
  result: Type.Unknown(),
  error_code: orNull(Type.String()),
  error_details: Type.Unknown(),
};

export const Task = Type.Object(taskFields);

export const ClaimedTask = Type.Object({
  ...taskFields,
  lease_token: Type.String({ description: "Proves that the attempt is yours; send it with every PATCH." }),
  lease_until: orNull(Time),
  checkpoint: Type.Unknown(),
});

const submitFields = {
  payload: Type.Optional(AnyObject),
  priority: Type.Optional(Type.Integer({ minimum: -priorityMax, maximum: priorityMax, description: "Higher first." })),
  delay_seconds: Type.Optional(Seconds),
  run_at: Type.Optional(Time),
  queue: Type.Optional(Name),
  parent_id: Type.Optional(orNull(Uuid)),
  labels: Type.Optional(
    mapOf(Type.String(), {
      maxProperties: labelsMax,
      description: "Only workers that carry all of these labels get the task.",
    }),
  ),
  logs: Type.Optional(
    Type.Object({
      requested: Type.Optional(Type.Boolean()),
      level: Type.Optional(oneOf(["debug", "info", "warn", "error"])),
    }),
  ),
  retry: Type.Optional(RetryPolicy),
  timeout_seconds: Type.Optional(Seconds),
};

export const TaskSubmit = Type.Object(submitFields);

export const bulkMax = 1_000;

export const TasksSubmit = Type.Object({
  tasks: Type.Array(Type.Object({ job: Type.String(), ...submitFields }), { minItems: 1, maxItems: bulkMax }),
});

export const claimMax = 100;

export const TaskClaim = Type.Object({
  worker_id: Uuid,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: claimMax })),
  start: Type.Optional(Type.Boolean({ description: "They are running at once: no PATCH is needed to start them." })),
});

export const ClaimAnswer = Type.Object({
  task: orNull(ClaimedTask),
  tasks: Type.Optional(Type.Array(ClaimedTask, { description: "Present when the claim had a `limit`." })),
});

/** Who speaks: fenced by these where they are given. */
const fence = {
  attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  lease_token: Type.Optional(Type.String({ maxLength: 255 })),
};

export const TaskUpdate = Type.Object({
  status: Status,
  error: Type.Optional(orNull(Type.String())),
  error_code: Type.Optional(orNull(Type.String({ maxLength: 255 }))),
  error_details: Type.Optional(Type.Unknown()),
  retryable: Type.Optional(
    Type.Boolean({ description: "With `failed`: false where another attempt would be no use, whatever the policy." }),
  ),
  result: Type.Optional(Type.Unknown()),
  ...fence,
});

export const TaskClaimById = Type.Object({ worker_id: Uuid });
export const TaskExtend = Type.Object({
  seconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 86_400 })),
  ...fence,
});
export const TaskRelease = Type.Object({
  delay_seconds: Type.Optional(Seconds),
  checkpoint: Type.Optional(Type.Unknown()),
  ...fence,
});
export const TaskDefer = Type.Object({ total: Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 }), ...fence });

export const TaskProgress = Type.Object({
  current: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  increment: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  total: Type.Optional(orNull(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
  message: Type.Optional(orNull(Type.String({ maxLength: 4_096 }))),
  ...fence,
});

export const logLinesMax = 1_000;

export const LogLine = Type.Object({
  at: Time,
  attempt: Type.Integer(),
  level: Type.String(),
  message: Type.String(),
});

export const LogLines = Type.Object({
  lines: Type.Array(
    Type.Object({
      level: Type.Optional(oneOf(["debug", "info", "warn", "error"])),
      message: Type.String({ maxLength: 65_536 }),
      at: Type.Optional(Time),
    }),
    { minItems: 1, maxItems: logLinesMax },
  ),
  ...fence,
});

export const CancelAnswer = Type.Object({
  task: Task,
  cancelled_children: Type.Integer({ description: "Open children that went with it." }),
});

export const TaskEvent = Type.Object({
  version: orNull(Type.Integer()),
  at: Time,
  type: Type.String(),
  status: orNull(Status),
  attempt: orNull(Type.Integer()),
  worker_id: orNull(Type.String()),
  data: Type.Unknown(),
  times: Type.Optional(Type.Integer({ description: "How many refusals this line stands for." })),
});

export const TaskPath = Type.Object({ task_id: Uuid });

export const StreamQuery = Type.Object({
  logs: Type.Optional(Type.Boolean({ description: "The lines of its log too." })),
  logs_from: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      description: "The same, but not so many of the first: whoever comes back has those.",
    }),
  ),
});

export const StatusQuery = Type.Object({ status: Type.Optional(Status) });
