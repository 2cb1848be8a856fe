// One thread that runs internal jobs, one task at a time. However it ends, what it was running has an ending.

import type { Readable } from "node:stream";
import { Worker } from "node:worker_threads";
import type { Assignment, Ending, Hold, InternalJob } from "../../core/internal-job.ts";
import type { Reports } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { FromThread, ThreadStart, ToThread } from "../../protocol/internal/messages.ts";

export interface ThreadParts {
  /** The file that runs in the thread. */
  readonly entry: URL;
  readonly start: ThreadStart;
  readonly name: string;
  readonly clock: Clock;
  readonly reports: Reports;
  /** Where what handlers print goes. */
  print(output: Readable): void;
  /** It ends, and runs nothing any more. */
  gone(): void;
}

export interface ExecutorThread {
  /** The jobs of its module. Rejects when it ends before it has told them. */
  readonly ready: Promise<readonly InternalJob[]>;
  isFree(): boolean;
  run(assignment: Assignment): void;
  has(hold: Hold): boolean;
  abort(reason: string): void;
  stop(): Promise<void>;
}

/** A handler that was told to stop has so long to do it; then its thread is ended. */
const abortGraceMs = 5_000;

export function executorThread({ entry, start, name, clock, reports, print, gone }: ThreadParts): ExecutorThread {
  const worker = new Worker(entry, { workerData: start, name, stdout: true, stderr: true });
  const ready = Promise.withResolvers<readonly InternalJob[]>();
  // Whoever wants to know asks; a thread that replaces another is not asked.
  ready.promise.catch(() => {});
  let current: Assignment | null = null;
  let loaded = false;
  let begun = false;
  let silence = (): void => {};
  let fault: string | null = null;

  for (const output of [worker.stdout, worker.stderr]) print(output);
  worker.on("message", (message: FromThread) => void hear(message));
  worker.on("error", (error: unknown) => {
    fault = error instanceof Error ? error.message : String(error);
  });
  const over = new Promise<void>((resolve) => {
    worker.on("exit", (code) => {
      const why = fault ?? `it ended with code ${code}`;
      ready.reject(new Error(why));
      gone();
      // It may have been handed over while the thread was dying of something else: then it has not been tried.
      if (current !== null) close(loaded && !begun ? untried : { type: "failed", error: died(why), retryable: true });
      resolve();
    });
  });

  async function hear(message: FromThread): Promise<void> {
    if (message.type === "ready") {
      loaded = true;
      ready.resolve(message.jobs);
    }
    if (message.type === "unusable") fault = message.why;
    if (current === null) return;
    const hold = current;
    if (message.type === "started") {
      begun = true;
      say({ type: "go", may: await reports.started(hold) });
    }
    if (message.type === "progressed") reports.progressed(hold, message.progress);
    if (message.type === "logged") reports.logged(hold, message.lines);
    if (message.type === "ended") close(message.ending);
  }

  function close(ending: Ending): void {
    const hold = current as Assignment;
    current = null;
    silence();
    reports.ended(hold, ending);
  }

  function say(message: ToThread): void {
    worker.postMessage(message);
  }

  return {
    ready: ready.promise,
    isFree: () => current === null,
    run(assignment) {
      say({ type: "run", assignment });
      current = assignment;
      begun = false;
    },
    has: ({ task, attempt }) => current?.task === task && current.attempt === attempt,
    abort(reason) {
      say({ type: "abort", reason });
      silence();
      silence = clock.alarm(clock.now() + abortGraceMs, () => {
        fault = "it did not stop when it was told to";
        void worker.terminate();
      });
    },
    async stop() {
      await worker.terminate();
      await over;
    },
  };
}

const untried: Ending = { type: "later", delayMs: 0, checkpoint: null };

function died(why: string) {
  return { message: `The executor died: ${why}`, code: "executor_died", details: null };
}
