// The document's operations: what they are, where they are kept, and how they run as jobs.

import { nothingToWaitFor } from "../deferral.ts";
import type { JobDefinition, OnChildFailure, OperationMessage, Task } from "../job.ts";
import { operationJob, ping } from "../worker/amqp/operation-name.ts";

/** What an operation gets beside its payload. */
export interface OperationContext {
  /** Tells an event of its own; the fields `_progress_current` and `_progress_total` report progress too. */
  readonly emit: Task["emit"];
  /** Aborted when the work is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A unit of work, which knows nothing of how it was asked for. */
export interface Operation {
  readonly name: string;
  /** Of a coordinator: what becomes of it when some of its messages fail; `failWhenSettled` where absent. */
  readonly onChildFailure?: OnChildFailure;
  /**
   * `session` is what the worker's `sessions` began, undefined where it has none. `payload` has the id of its task, or of
   * its message's parent, as `_job_id`.
   */
  execute(
    session: unknown,
    payload: Readonly<Record<string, unknown>>,
    context: OperationContext,
  ): OperationAnswer | Promise<OperationAnswer>;
}

/** An `OperationResult`, or what would be its `result`. */
export type OperationAnswer = OperationResult | Readonly<Record<string, unknown>> | undefined;

/** What an operation may say of its end. */
export interface OperationResultParts {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly progressCurrent?: number;
  readonly progressTotal?: number;
  /**
   * The task stays open until so many as `progressTotal` have ended; where that is absent, all that it names of tasks and
   * messages. It fails where it names none.
   */
  readonly deferred?: boolean;
  /** Tasks that were submitted on the way. The server tells their queues by itself, once it has written them. */
  readonly publishAfterCommit?: readonly (readonly [queue: string, task: string])[];
  /** Messages that are sent once the end is written. A task that sends some is deferred. */
  readonly publishOperations?: readonly (readonly [queue: string, message: Omit<OperationMessage, "queue">])[];
}

/**
 * How an operation ended.
 *
 * @example
 * ```ts
 * import { OperationRegistry, OperationResult } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({
 *   name: "compute_embeddings",
 *   execute(_session, _payload, { emit }) {
 *     const batches = [1, 2, 3];
 *     emit("compute_embeddings.dispatched", null, { batches: batches.length });
 *     return new OperationResult({
 *       deferred: true,
 *       progressCurrent: 0,
 *       progressTotal: batches.length,
 *       publishOperations: batches.map((batch) => [
 *         "protea.embeddings.batch",
 *         { operation: "compute_embeddings_batch", payload: { batch } },
 *       ]),
 *     });
 *   },
 * });
 * ```
 */
export class OperationResult {
  readonly result: Readonly<Record<string, unknown>>;
  readonly progressCurrent: number | null;
  readonly progressTotal: number | null;
  readonly deferred: boolean;
  readonly publishAfterCommit: NonNullable<OperationResultParts["publishAfterCommit"]>;
  readonly publishOperations: NonNullable<OperationResultParts["publishOperations"]>;

  constructor(parts: OperationResultParts = {}) {
    this.result = parts.result ?? {};
    this.progressCurrent = parts.progressCurrent ?? null;
    this.progressTotal = parts.progressTotal ?? null;
    this.deferred = parts.deferred ?? false;
    this.publishAfterCommit = parts.publishAfterCommit ?? [];
    this.publishOperations = parts.publishOperations ?? [];
  }
}

/**
 * Operations by their names, all of which every consumer registers. `ping` is among them from the start.
 *
 * @example
 * ```ts
 * import { OperationRegistry } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({ name: "load_ontology", execute: async () => ({ terms: 42_000 }) });
 * console.log(registry.names());
 * ```
 */
export class OperationRegistry {
  readonly #jobs = new Map<string, JobDefinition>([["ping", ping]]);

  /** The same name twice is an error. */
  register(operation: Operation): this {
    const { name } = operation;
    if (typeof name !== "string" || name === "") throw new TypeError("An operation needs a name");
    if (this.#jobs.has(name)) throw new Error(`Operation '${name}' is there twice`);
    this.#jobs.set(name, operationAsJob(operation));
    return this;
  }

  has(name: string): boolean {
    return this.#jobs.has(name);
  }

  names(): readonly string[] {
    return [...this.#jobs.keys()];
  }

  /** For a `Worker`, by whatever link: each operation is the job `@global:operations:<name>`. */
  jobs(): readonly JobDefinition[] {
    return [...this.#jobs.values()];
  }
}

function operationAsJob(operation: Operation): JobDefinition {
  const { name, onChildFailure } = operation;
  return {
    name: operationJob(name),
    options: { ...(onChildFailure !== undefined && { onChildFailure }) },
    async handler(task) {
      const { id, input, session, signal, emit } = task;
      const payload = { ...(input as Readonly<Record<string, unknown>>), _job_id: id };
      const answer = await operation.execute(session, payload, { emit, signal });
      const ended = answer instanceof OperationResult ? answer : new OperationResult({ result: answer ?? {} });
      tell(task, ended);
      return ended.result;
    },
  };
}

function tell(task: Task, ended: OperationResult): void {
  const { progressCurrent, progressTotal, deferred, publishOperations, publishAfterCommit } = ended;
  const messages = publishOperations.map(([queue, message]) => ({ queue, ...message }));
  if (deferred) {
    const total = progressTotal ?? messages.length + publishAfterCommit.length;
    // Nothing would ever end it; as a success it would not be what was asked for.
    if (progressTotal === null && total === 0) throw nothingToWaitFor();
    task.defer({ messages, total });
  } else if (messages.length > 0) task.defer({ messages });
  else if (progressCurrent !== null) task.progress(progressCurrent, progressTotal ?? undefined);
}
