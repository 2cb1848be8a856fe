// One handler, run without any server: for unit tests of jobs.

import type { CheckedDeferral } from "../sdk/deferral.ts";
import type { JobDefinition, OperationMessage, TaskAlert } from "../sdk/job.ts";
import { type Outcome, runHandler } from "../sdk/run-handler.ts";
import type { LogLevel } from "../sdk/task-voice.ts";

/** The task that a handler is to believe in. */
export interface RunJobOptions {
  /** 1 where absent. */
  readonly attempt?: number;
  /** What an attempt before is to have handed on. */
  readonly checkpoint?: unknown;
  /** Of the task; the job's own where absent. */
  readonly room?: string;
  readonly id?: string;
  /** Becomes `task.signal`. */
  readonly signal?: AbortSignal;
}

/** How a handler ended, and what it said on the way. `O` is the result's type. */
export interface JobRun<O = unknown> {
  /** `released`: it wants to be tried again later, by `RetryLater`. `deferred`: it is left to its children or messages. */
  readonly outcome: "completed" | "failed" | "released" | "deferred";
  /** As whoever submitted the task would read it; null unless it completed with one. */
  readonly result: O | null;
  /** Null unless it failed. */
  readonly error: {
    readonly message: string;
    readonly code: string | null;
    readonly details: unknown;
    /** Whether another attempt may help. */
    readonly retryable: boolean;
  } | null;
  /** When it wants to be tried again; null unless it was released. */
  readonly delayMs: number | null;
  /** What it hands on to the next attempt; null where there is nothing. */
  readonly checkpoint: unknown;
  /** What it waits for, with messages as their consumers would read them; null unless it was deferred. */
  readonly deferral: { readonly total: number; readonly messages: readonly OperationMessage[] } | null;
  readonly progress: readonly {
    readonly current: number;
    readonly total: number | null;
    readonly message: string | null;
  }[];
  readonly log: readonly { readonly level: LogLevel; readonly message: string }[];
  readonly alerts: readonly TaskAlert[];
}

/**
 * Runs one handler as a worker would, with schemas, JSON and all, and answers how it ended. Rejects only
 * where the payload is no JSON.
 *
 * @example
 * ```ts
 * import { job } from "leadhand";
 * import { runJob } from "leadhand/testing";
 * import { z } from "zod";
 *
 * const rotate = job("@global:modifiers:Rotate", { input: z.object({ angle: z.number() }) }, (task) => {
 *   task.progress(1, 1);
 *   return { turned: task.input.angle % 360 };
 * });
 *
 * const { outcome, result, progress } = await runJob(rotate, { angle: 450 });
 * console.log(outcome, result?.turned, progress.length);
 * ```
 */
export async function runJob<O = unknown, P = unknown>(
  definition: JobDefinition<unknown, O, P>,
  payload?: NoInfer<P>,
  options: RunJobOptions = {},
): Promise<JobRun<O>> {
  const progress: JobRun["progress"][number][] = [];
  const log: JobRun["log"][number][] = [];
  const alerts: TaskAlert[] = [];
  const [room = "@global"] = definition.name.split(":");
  const facts = {
    ...{ id: "01900000-0000-7000-8000-000000000001", room, attempt: 1, job: definition.name, ...options },
    ...{ payload: throughJson(payload ?? {}), checkpoint: throughJson(options.checkpoint) },
  };
  let deferral: CheckedDeferral | null = null;
  const port = {
    defer(given: CheckedDeferral): void {
      deferral = given;
    },
    progress: (current: number, total: number | null, message: string | null) =>
      void progress.push({ current, total, message }),
    log: (level: LogLevel, message: string) => void log.push({ level, message }),
    alert: (alert: TaskAlert) => void alerts.push(alert),
  };
  const signal = options.signal ?? new AbortController().signal;
  const outcome = await runHandler(definition as JobDefinition, facts, port, signal);
  return { ...told(outcome, deferral), progress, log, alerts } as JobRun<O>;
}

function told(outcome: Outcome, deferral: CheckedDeferral | null): Omit<JobRun, "progress" | "log" | "alerts"> {
  const nothing = { result: null, error: null, delayMs: null, checkpoint: null, deferral: null };
  // To nobody it is an ordinary success, with its result.
  if (outcome.type === "completed" && deferral !== null && deferral.total > 0) {
    const messages = deferral.messages.map((each) => ({ ...each, payload: parsed(each.payload) }));
    return { ...nothing, outcome: "deferred", deferral: { total: deferral.total, messages } };
  }
  if (outcome.type === "completed") return { ...nothing, outcome: "completed", result: parsed(outcome.result) };
  if (outcome.type === "released") {
    const { delayMs, checkpoint } = outcome;
    return { ...nothing, outcome: "released", delayMs, checkpoint: parsed(checkpoint) };
  }
  const { message, code, details, retryable } = outcome;
  return { ...nothing, outcome: "failed", error: { message, code, details: parsed(details), retryable } };
}

/** A handler sees what has travelled, not what was written down. */
function throughJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
