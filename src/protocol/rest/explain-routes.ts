import Type from "typebox";
import { explainCauses, hindrances } from "../../core/explain.ts";
import { profileNames, workerStates } from "../../core/liveness.ts";
import * as examples from "./examples.ts";
import type { RouteSpec } from "./route.ts";
import { TaskPath } from "./task-bodies.ts";
import { mapOf, oneOf, orNull, Status, Time, Uuid } from "./words.ts";

const PauseFact = Type.Object({
  by: Type.String(),
  note: orNull(Type.String()),
  at: Time,
  until: orNull(Time),
});

const WorkerFact = Type.Object({
  id: orNull(Uuid),
  name: orNull(Type.String()),
  profile: oneOf(profileNames),
  state: oneOf(workerStates),
  hindrance: orNull(oneOf(hindrances, { description: "What keeps it from the task; null where nothing does." })),
  held: Type.Integer({ description: "How many tasks it holds." }),
  capacity: orNull(
    Type.Integer({
      description: "Beyond how many it gets nothing; null where it has not said, or gets what it asks for.",
    }),
  ),
  draining: Type.Boolean(),
  deaf: Type.Boolean(),
  pause: orNull(PauseFact),
  checksum: orNull(Type.String({ description: "What it announced for the job; null: any." })),
  labels: mapOf(Type.String()),
  queues: orNull(Type.Array(Type.String())),
  seen_at: Time,
  asked_at: orNull(
    Type.String({
      format: "date-time",
      description: "When it last asked this server for work; null where it has not, or is given work unasked.",
    }),
  ),
});

export const ExplainFactsBody = Type.Object({
  position: orNull(Type.Integer()),
  position_exact: orNull(Type.Boolean()),
  run_at: orNull(Time),
  failures: Type.Integer(),
  last_error: orNull(Type.String()),
  refusal: orNull(Type.String({ description: "What the job's schema has against the payload." })),
  job: Type.String(),
  job_exists: Type.Boolean(),
  job_pause: orNull(PauseFact),
  queue: Type.String(),
  queue_pause: orNull(PauseFact),
  labels: mapOf(Type.String(), { description: "What the task asks of workers." }),
  checksum: orNull(Type.String({ description: "Of the job as workers need it; null where the job is gone." })),
  limit: orNull(Type.Object({ max_running: Type.Integer(), running: Type.Integer() })),
  push: orNull(Type.Object({ failure: orNull(Type.String()) })),
  message: orNull(
    Type.Object({
      told: Type.Boolean({ description: "Whether the broker has a message for it." }),
      broker_away_since: orNull(Time),
      waiting: orNull(Type.Integer({ description: "Messages in the queue; null where the broker has not said." })),
      waiting_max: Type.Integer(),
      consumers: orNull(Type.Integer()),
      republished: Type.Integer({ description: "How often it was told of again because nobody took it." }),
    }),
  ),
  parent_id: orNull(Uuid),
  parent_cancelled: Type.Boolean(),
  worker_id: orNull(Uuid),
  workers_total: Type.Integer({ description: "Of all that have the job; no more than 100 are listed." }),
  workers: Type.Array(WorkerFact, { description: "Those that are nearest to being able first." }),
  last_seen_at: orNull(Time),
});

export const ExplainAnswer = Type.Object({
  task_id: Uuid,
  state: Status,
  cause: oneOf(explainCauses),
  sentence: Type.String(),
  facts: ExplainFactsBody,
});

export const explainRoutes = {
  explainTask: {
    id: "explainTask",
    method: "GET",
    path: "/tasks/{task_id}/explain",
    tag: "tasks",
    summary: "Read why a task is not running",
    description: "One cause, the same in a sentence for people, and the facts that lead to it.",
    params: TaskPath,
    answers: {
      200: { description: "The cause and the facts.", schema: ExplainAnswer, example: examples.explained },
    },
    problems: ["task-not-found"],
  },
} as const satisfies Record<string, RouteSpec>;
