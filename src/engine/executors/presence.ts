// The executors of a server are one worker, without an owner: who is there, what each server runs and what became of a
// server that fell silent is then known by the same rules as for everybody else.

import type { Json } from "../../core/checksum.ts";
import type { InternalJob } from "../../core/internal-job.ts";
import { isInternal } from "../../core/name.ts";
import { Problem } from "../../core/problem.ts";
import type { WorkerRecord } from "../../ports/records.ts";
import type { Schemas } from "../../ports/schemas.ts";
import type { Operations } from "../engine.ts";
import type { Surroundings } from "../surroundings.ts";

export interface PresenceParts {
  readonly operations: Pick<Operations, "jobs" | "workers" | "losing" | "beat">;
  readonly schemas: Schemas;
  /** With every sign of life. */
  beaten(): Promise<void>;
  /** The session was given up: nothing it held counts any more. */
  lost(): void;
}

export interface Presence {
  /** The jobs are registered as the executors describe them, whatever they were before. */
  begin(jobs: readonly InternalJob[]): Promise<void>;
  worker(): string;
  /** This worker is gone for others: there is a new one afterwards. */
  again(gone: string): Promise<void>;
  end(): Promise<void>;
}

export function presence(around: Surroundings, parts: PresenceParts): Presence {
  const { clock, log, settings } = around;
  const { operations } = parts;
  const links = new Map<string, string>();
  let worker: WorkerRecord | null = null;
  let coming: Promise<void> | null = null;
  let silence: (() => void) | null = null;
  let ended = false;

  async function register(job: InternalJob): Promise<void> {
    if (!isInternal(job.name)) throw new Error(`Internal job '${job.name}' is not called @internal:category:name`);
    if (links.has(job.name)) throw new Error(`There are two internal jobs called '${job.name}'`);
    for (const schema of [job.schema, job.output]) if (schema !== null) parts.schemas.check(schema);
    const { job: registered } = await operations.jobs.register({
      ...{
        name: job.name,
        schema: JSON.parse(job.schema) as Json,
        queue: job.queue,
        source: "internal",
        replace: true,
      },
      ...(job.output !== null && { output: JSON.parse(job.output) as Json }),
      policy: Object.keys(job.policy).length === 0 ? null : job.policy,
    });
    links.set(registered.name, registered.checksum);
  }

  async function come(): Promise<void> {
    const name = `executors of ${settings.node.address ?? "a server"}`;
    worker = await operations.workers.register({ profile: "internal", owner: null, name, jobs: new Map(links) });
  }

  function again(gone: string): Promise<void> {
    // Whoever noticed later than others finds the new one.
    if (ended || (worker !== null && worker.id !== gone)) return coming ?? Promise.resolve();
    coming ??= come().finally(() => {
      coming = null;
    });
    return coming;
  }

  async function beat(): Promise<void> {
    const beating = current();
    try {
      await operations.beat(beating);
      await parts.beaten();
    } catch (error) {
      if (error instanceof Problem && error.code === "worker-not-found") {
        log.warn("this server's executors were given up; what they were running is run again");
        parts.lost();
        await again(beating).catch((cause) =>
          log.warn("the executors could not be registered again", { error: cause }),
        );
      } else log.warn("the executors could not give a sign of life", { error });
    }
    next();
  }

  function next(): void {
    if (!ended) silence = clock.alarm(clock.now() + settings.profiles.internal.beatMs, () => void beat());
  }

  function current(): string {
    if (worker === null) throw new Error("The executors are not registered");
    return worker.id;
  }

  return {
    async begin(jobs) {
      for (const job of jobs) await register(job);
      await come();
      next();
    },
    worker: current,
    again,
    async end() {
      ended = true;
      silence?.();
      await coming?.catch(() => {});
      if (worker !== null) await operations.losing.remove(worker);
    },
  };
}
