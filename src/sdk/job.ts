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
  readonly retry?: RetryWords;
  /** How long an attempt may run. */
  readonly timeoutMs?: number;
  /** What becomes of a task that has deferred when some of its children or messages fail; `failWhenSettled` where absent. */
  readonly onChildFailure?: OnChildFailure;
  readonly queue?: string;
  /** What a worker must carry among its own labels to be given any task of this job; a task's own are added. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** How often a task is tried, and how long it waits in between; what is not said is the server's choice. */
export interface RetryWords {
  readonly maxAttempts?: number;
  readonly baseMs?: number;
  readonly capMs?: number;
}

/**
 * With some that failed, a task fails once all have ended (`failWhenSettled`), with the first of them (`failFast`), or stays
 * open until it is cancelled or times out (`stall`). With all that failed it fails under each.
 */
export type OnChildFailure = "stall" | "failWhenSettled" | "failFast";

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
  /**
   * Tells an event of the handler's own, by a dotted name: a line of the task's log that programs can read. The fields
   * `_progress_current` and `_progress_total` report progress too. Returns at once, and never fails the task.
   *
   * @example
   * ```ts
   * import { job } from "leadhand";
   *
   * export const load = job("@global:operations:load_ontology", {}, (task) => {
   *   task.emit("load_ontology.downloaded", "The file is there", { bytes: 31_000_000 });
   *   return { terms: 42_000 };
   * });
   * ```
   */
  emit(event: string, message?: string | null, fields?: Readonly<Record<string, unknown>>, level?: EmitLevel): void;
  /**
   * Leaves the task open when the handler has ended: it stays running in nobody's hands until so many of its messages or
   * children have ended, and is closed by the last of them. The messages are sent once that is written. In a handler of a
   * message it hands the work on: one message goes on in its place. What the handler answers is not kept then.
   *
   * @example
   * ```ts
   * import { job } from "leadhand";
   *
   * export const compute = job("@global:operations:compute_embeddings", {}, (task) => {
   *   const batches = [["P12345"], ["Q67890"]];
   *   task.defer({
   *     messages: batches.map((proteins) => ({
   *       queue: "protea.embeddings.batch",
   *       operation: "compute_embeddings_batch",
   *       payload: { proteins },
   *     })),
   *   });
   * });
   * ```
   */
  defer(deferral: Deferral): void;
  /** Where the worker was given `sessions`: what their `begin` answered; it is committed before the task completes. */
  readonly session: unknown;
}

/** How much an event matters. */
export type EmitLevel = "debug" | "info" | "warn" | "warning" | "error";

/** Work for whoever consumes a queue of operations; it has no task of its own. */
export interface OperationMessage {
  readonly queue: string;
  /** Name of the operation, as in `store_embeddings`: the job `@global:operations:store_embeddings`. */
  readonly operation: string;
  readonly payload: unknown;
}

/** What a task waits for once its handler has ended. */
export interface Deferral {
  /** How many have to end; as many as there are messages where absent. With none it is an ordinary success. */
  readonly total?: number;
  readonly messages?: readonly OperationMessage[];
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
