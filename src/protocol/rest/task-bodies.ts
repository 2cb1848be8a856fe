import Type from "typebox";
import { durationMsMax } from "../../core/checks.ts";
import { labelsMax, priorityMax } from "../../core/lane.ts";
import { queryLengthMax } from "../../core/task-query.ts";
import { finalStates, openStates } from "../../core/task-row.ts";
import { RetryPolicy } from "./job-bodies.ts";
import { AnyObject, mapOf, Name, oneOf, orNull, pageOf, Status, Time, Uuid } from "./words.ts";

export const Seconds = Type.Number({ minimum: 0, maximum: durationMsMax / 1_000 });

export const Progress = Type.Object({
  current: Type.Integer(),
  total: orNull(Type.Integer()),
  message: orNull(Type.String()),
});

/** Of a task that waits, or waited, for children or messages. */
export const Children = Type.Object({
  total: orNull(Type.Integer({ description: "How many it waits for; null until it has deferred." })),
  done: Type.Integer(),
  failed: Type.Integer(),
  unindexed: Type.Optional(
    Type.Boolean({ description: "Something without an index was counted: what came twice may have counted twice." }),
  ),
  errors: Type.Optional(Type.Array(Type.String(), { description: "Why messages failed: the first three reasons." })),
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
  labels: mapOf(Type.String(), { description: "What a worker must carry to get it: its job's labels and its own." }),
  retry: orNull(RetryPolicy),
  timeout_seconds: orNull(Seconds),
  attempt: Type.Integer(),
  losses: Type.Integer(),
  parent_id: orNull(Uuid),
  retry_of: orNull(Uuid),
  submitter: orNull(Type.String({ description: "The user who submitted it; null where nobody is known." })),
  progress: orNull(Progress),
  children: orNull(Children),
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
  task_ids: Type.Optional(
    Type.Array(Uuid, {
      ...{ minItems: 1, maxItems: claimMax },
      description: "These tasks alone; those that are not there to be claimed are left out. Nothing is waited for.",
    }),
  ),
  start: Type.Optional(Type.Boolean({ description: "They are running at once: no PATCH is needed to start them." })),
});

export const ClaimAnswer = Type.Object({
  task: orNull(ClaimedTask),
  tasks: Type.Optional(Type.Array(ClaimedTask, { description: "Present when the claim had a `limit` or `task_ids`." })),
  waiting: Type.Optional(
    Type.Array(Uuid, {
      description:
        "When the claim had `task_ids`: which of those left out are ready for somebody else, or for a place. Absent where it cannot be said now.",
    }),
  ),
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
  reason: Type.Optional(Type.String({ maxLength: 255, description: "For the history." })),
  checkpoint: Type.Optional(Type.Unknown()),
  ...fence,
});

export const messagesMax = 10_000;

/** Work without a task of its own, which is counted on the task that asks for it. */
export const OperationMessage = Type.Object({
  queue: Name,
  operation: Name,
  payload: Type.Optional(AnyObject),
});

/** What a deferral says. */
export const deferFields = {
  total: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: 2 ** 31 - 1 },
      description: "Of children and messages together; absent: as many as there are messages.",
    }),
  ),
  messages: Type.Optional(
    Type.Array(OperationMessage, {
      maxItems: messagesMax,
      description: "Published to queues of the message broker with the same commit, with indexes from 0 in this order.",
    }),
  ),
};

export const TaskDefer = Type.Object({ ...deferFields, ...fence });

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
  event: Type.Optional(Type.String({ description: "What the handler calls it; absent from a plain line." })),
  fields: Type.Optional(AnyObject),
});

export const LogLines = Type.Object({
  lines: Type.Array(
    Type.Object({
      level: Type.Optional(oneOf(["debug", "info", "warn", "error"])),
      message: Type.Optional(Type.String({ maxLength: 65_536 })),
      event: Type.Optional(
        Type.String({
          ...{ maxLength: 255, pattern: "^[^\\s.]+(\\.[^\\s.]+)*$" },
          description: "A dotted name. It is a sign of life, and one of the two, this or a message, has to be there.",
        }),
      ),
      fields: Type.Optional(AnyObject),
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
  name: Type.Optional(
    orNull(
      Type.String({
        description:
          "What the document of worker queues calls it, as `job.lease_expired_requeue`; only for tasks of queues of a message broker, and of jobs of the category `operations`. Null where it has no word for it.",
      }),
    ),
  ),
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

const query = Type.String({
  maxLength: queryLengthMax,
  description: "As in `job:*Rotate* state:failed age<1h`; the guide to queries has all of it.",
});

/** How lists of tasks are asked for. */
export const TaskListQuery = Type.Object({
  ...StatusQuery.properties,
  q: Type.Optional(query),
  cursor: Type.Optional(
    Type.String({ maxLength: 100, description: "The `next_cursor` of an earlier page; `offset` counts from there." }),
  ),
  payloads: Type.Optional(
    Type.Boolean({ description: "False: `payload`, `result` and `error_details` are null, and are not read." }),
  ),
});

export const CountQuery = Type.Object({ q: Type.Optional(query) });

export const TaskCount = Type.Object({
  count: Type.Integer(),
  exact: Type.Boolean({ description: "False where counting was given up: there are at least so many." }),
  by_state: orNull(
    Type.Object(Object.fromEntries([...openStates, ...finalStates].map((state) => [state, Type.Integer()]))),
  ),
});

/** A page of tasks that goes on by a cursor. */
export const TaskPage = Type.Object({
  ...pageOf(Type.Object({ ...taskFields, payload: orNull(AnyObject) })).properties,
  next_cursor: orNull(Type.String({ description: "Where the next page begins; null where there is nothing further." })),
  scanned_through: orNull(
    Type.String({
      format: "date-time",
      description: "Where the search was cut short: it has seen all tasks made since then. `next_cursor` goes on.",
    }),
  ),
});
