import Type, { type TObject, type TProperties } from "typebox";
import { alertSeverities } from "../../core/alert.ts";
import { explainCauses } from "../../core/explain.ts";
import { oneOf, orNull, Time, Uuid } from "./words.ts";

const count = (description?: string) => Type.Integer({ minimum: 0, ...(description && { description }) });
const Ms = orNull(Type.Integer({ description: "Milliseconds, at most a tenth off; null where there were none." }));

const ends = { completed: count(), failed: count(), cancelled: count() };

const counts = {
  submitted: count(),
  ...ends,
  lost: count("How often a worker was lost with a task, whatever became of the task."),
};

const durations = { wait_p50_ms: Ms, wait_p95_ms: Ms, run_p50_ms: Ms, run_p95_ms: Ms };

export const PulsePoint = Type.Object({ at: Time, ...counts, ...durations });

/** All of them integers. */
function countsOf<const K extends string>(names: readonly K[]): TObject<Record<K, ReturnType<typeof count>>> {
  return Type.Object(Object.fromEntries(names.map((name) => [name, count()])) as TProperties) as never;
}

export const Pulse = Type.Object({
  now: Time,
  window_seconds: Type.Integer(),
  step_seconds: Type.Integer(),
  points: Type.Array(PulsePoint, { description: "One for each step, oldest first; the last is not over." }),
  totals: Type.Object({ ...counts, ...durations }),
  waiting: Type.Object({
    ready: count(),
    delayed: count(),
    held: count("In workers' hands."),
    deferred: count("Waiting for their children."),
    oldest_ready_at: orNull(Time),
    oldest_task_id: orNull(Uuid),
  }),
  fleet: countsOf(["online", "unreachable", "offline", "paused", "draining", "deaf", "capacity", "held"]),
  reasons: Type.Array(
    Type.Object({
      code: oneOf(explainCauses),
      text: Type.String({ description: "For people." }),
      tasks: count(),
      job_name: Type.String(),
    }),
    { description: "Why tasks wait that are ready: at most five reasons, those of most tasks first." },
  ),
  alerts: countsOf(alertSeverities),
});

export const JobStatistic = Type.Object({
  job_name: Type.String(),
  ...counts,
  success_rate: orNull(Type.Number({ description: "Of those that completed or failed, the share that completed." })),
  ...durations,
  trend: Type.Array(Type.Object({ at: Time, completed: count(), failed: count() }), {
    description: "24 parts of the window, oldest first.",
  }),
  waiting: count("Ready or delayed."),
  running: count("In workers' hands, or waiting for their children."),
  oldest_ready_at: orNull(Time),
});

export const FailureGroup = Type.Object({
  fingerprint: Type.String(),
  job_name: Type.String(),
  error_code: orNull(Type.String()),
  error: Type.String({ description: "Of the last of them, at most 1,000 characters." }),
  tasks: count("How many failed so in the window."),
  first_at: Time,
  last_at: Time,
  trend: Type.Array(count(), { description: "24 parts of the window, oldest first." }),
  sample_task_id: Uuid,
});
