// A job as its author writes it: a name, what it takes, and what it does. The same definition runs in a Worker, in
// `leadhand worker FILE`, and inside the server with `leadhand serve --internal FILE`.

import type { StandardSchemaV1 } from "@standard-schema/spec";

/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Any Standard Schema (zod, valibot, arktype …), or a raw JSON Schema. `T` is what comes out of it; `P` is what goes in,
 * which may lack what has a default.
 */
export type AnySchema<T, P = unknown> = StandardSchemaV1<P, T> | JsonSchema;

/** What a job takes and gives, and how it is treated. */
export interface JobOptions<I = unknown, O = unknown, P = unknown> {
  /** What a payload has to look like; checked by the server where it can be said in JSON Schema, and by the worker. */
  readonly input?: AnySchema<I, P>;
  /** What a result has to look like. */
  readonly output?: AnySchema<O>;
  readonly retry?: { readonly maxAttempts?: number; readonly baseMs?: number; readonly capMs?: number };
  /** How long an attempt may run. */
  readonly timeoutMs?: number;
  readonly queue?: string;
  /** What a worker must carry among its own labels to be given any task of this job; a task's own are added. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** What a handler gets: the task in hand, and how to speak about it. */
export interface Task<I = unknown> {
  readonly id: string;
  /** Full name of the job. */
  readonly job: string;
  readonly room: string;
  /** Counts from 1; every claim is another attempt. */
  readonly attempt: number;
  readonly input: I;
  /** What the attempt before handed on with `RetryLater`; undefined on the first. */
  readonly checkpoint: unknown;
  /** Aborted when the task was cancelled, its lease was lost, or the worker's time to drain is over. */
  readonly signal: AbortSignal;
  /** Returns at once; the latest report is sent. */
  progress(current: number, total?: number, message?: string): void;
  readonly log: TaskLog;
  /**
   * Tells people of something that they should look at, whatever becomes of the task. Returns at once, and is sent at once.
   *
   * @example
   * ```ts
   * import { job } from "leadhand";
   *
   * export const print = job("@global:modifiers:Print", {}, (task) => {
   *   task.alert({ severity: "warning", code: "ink_low", message: "There is ink for ten more pages" });
   *   return { printed: true };
   * });
   * ```
   */
  alert(alert: TaskAlert): void;
}

/** Something that people should look at. */
export interface TaskAlert {
  readonly severity: "info" | "warning" | "error" | "critical";
  /** For programs; at most 255 characters. */
  readonly code: string;
  readonly message: string;
}

/** Lines of the log of one task; words that are no text are written as JSON. */
export interface TaskLog {
  debug(...words: readonly unknown[]): void;
  info(...words: readonly unknown[]): void;
  warn(...words: readonly unknown[]): void;
  error(...words: readonly unknown[]): void;
}

/** What a job does with one task; what it answers is the result. */
export type Handler<I = unknown, O = unknown> = (task: Task<I>) => O | Promise<O>;

/** A job with its name and handler, as `job` makes it: `I` is what the handler gets, `O` what it answers, `P` what is submitted. */
export interface JobDefinition<I = unknown, O = unknown, P = unknown> {
  /** `room:category:name`. */
  readonly name: string;
  readonly options: JobOptions<I, O, P>;
  // A method, so that jobs of every kind fit into one list.
  handler(task: Task<I>): O | Promise<O>;
}

/**
 * Defines a job, to be given to a `Worker` or exported from a worker file.
 *
 * @example
 * ```ts
 * import { job } from "leadhand";
 * import { z } from "zod";
 *
 * export const jobs = [
 *   job("@global:modifiers:Rotate", { input: z.object({ angle: z.number().default(0) }) }, async (task) => {
 *     task.log.info("angle", task.input.angle);
 *     return { ok: true };
 *   }),
 * ];
 * ```
 */
export function job<I = unknown, O = unknown, P = unknown>(
  name: string,
  options: JobOptions<I, O, P>,
  handler: Handler<I, O>,
): JobDefinition<I, O, P> {
  return { name, options, handler };
}
