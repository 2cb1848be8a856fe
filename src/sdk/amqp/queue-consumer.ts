// The document's consumers: one process, one queue, all operations.

import type { WorkerOptions } from "../worker/options.ts";
import { Worker } from "../worker.ts";
import type { OperationRegistry } from "./operation-registry.ts";

/** What a consumer consumes, and what it runs; everything else as for a `Worker`. */
export interface ConsumerOptions extends Omit<WorkerOptions, "link" | "kind" | "queue" | "queues"> {
  readonly queue: string;
  readonly registry: OperationRegistry;
  /** Ends the program when a task had to go back; handed in by tests. */
  readonly exit?: (code: number) => void;
}

/** 128 and the number of SIGTERM. */
const exitCode = 143;

class Consumer implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #exit: (code: number) => void;
  #handedBack = false;

  constructor(
    kind: "job" | "operation",
    { registry, exit = (code) => process.exit(code), ...options }: ConsumerOptions,
  ) {
    this.#exit = exit;
    this.#worker = new Worker({ ...options, link: "amqp", kind });
    for (const job of registry.jobs()) this.#worker.job(job);
    this.#worker.on("handedBack", () => {
      this.#handedBack = true;
    });
  }

  /** Works until `stop`, SIGINT or SIGTERM. A task that does not end in time goes back, and the program ends with 143. */
  async run(): Promise<void> {
    await this.#worker.run();
    if (this.#handedBack) this.#exit(exitCode);
  }

  /** Takes nothing new, and gives what runs 30 seconds to end. */
  stop(options: { readonly drainMs?: number } = {}): Promise<void> {
    return this.#worker.stop(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/**
 * Consumes a queue whose messages name tasks: each is claimed, run, and its end told, with all of its history.
 *
 * @example
 * ```ts
 * import { OperationRegistry, QueueConsumer } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({ name: "load_ontology", execute: async () => ({ terms: 42_000 }) });
 * const consumer = new QueueConsumer({ queue: "protea.jobs", registry, token: "lh_…" });
 * await consumer.run();
 * ```
 */
export class QueueConsumer extends Consumer {
  constructor(options: ConsumerOptions) {
    super("job", options);
  }
}

/**
 * Consumes a queue whose messages are operations without a task of their own: each is run, counted on the task that it
 * belongs to, and only then done with.
 *
 * @example
 * ```ts
 * import { OperationConsumer, OperationRegistry } from "leadhand";
 *
 * const registry = new OperationRegistry();
 * registry.register({ name: "store_embeddings", execute: async () => ({ stored: 100 }) });
 * const consumer = new OperationConsumer({ queue: "protea.embeddings.write", registry, token: "lh_…" });
 * await consumer.run();
 * ```
 */
export class OperationConsumer extends Consumer {
  constructor(options: ConsumerOptions) {
    super("operation", options);
  }
}
