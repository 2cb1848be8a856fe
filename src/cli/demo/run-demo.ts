// The demo's work: jobs are registered, workers begin, tasks are submitted beside them; it ends with the last task.

import { sampleJobs, sampleTask } from "./sample-jobs.ts";
import { type Operations, runSampleWorker } from "./sample-worker.ts";
import type { Tally } from "./tally.ts";

export const workersOfDemo = 8;

/** Tasks in one call. */
const bulk = 100;
const submitters = 4;

export interface DemoRun {
  readonly operations: Operations;
  readonly tasks: number;
  readonly tally: Tally;
  readonly now: () => number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

export async function runDemo({ operations, tasks, tally, now, signal }: DemoRun): Promise<void> {
  const jobs = sampleJobs.map(({ job }) => job);
  for (const { job, policy } of sampleJobs) {
    await operations.jobs.register({ name: job, schema: {}, policy, source: "explicit", replace: true });
  }
  const done = new AbortController();
  const over = AbortSignal.any([signal, done.signal]);
  const crew = Array.from({ length: workersOfDemo }, (_, index) => `worker ${index + 1}`);
  const working = Promise.all(crew.map((name) => runSampleWorker({ operations, name, jobs, tally }, over)));
  const submitting = submitAll();
  try {
    await Promise.race([Promise.all([submitting, tally.untilEnded(tasks)]), working, interrupted(signal)]);
  } finally {
    done.abort();
    await Promise.allSettled([working, submitting]);
  }

  async function submitAll(): Promise<void> {
    let next = 0;
    const submitNext = async (): Promise<void> => {
      while (next < tasks && !over.aborted) {
        const from = next;
        next = Math.min(tasks, from + bulk);
        await submit(from, next);
      }
    };
    await Promise.all(Array.from({ length: submitters }, submitNext));
  }

  async function submit(from: number, to: number): Promise<void> {
    const samples = Array.from({ length: to - from }, (_, index) => sampleTask(from + index, now()));
    const records = await operations.submit(samples.map(({ request }) => request));
    tally.add({ submitted: records.length });
    const dropped = records.filter((_, index) => samples[index]?.fate === "dropped");
    await Promise.all(dropped.map(({ card }) => operations.cancel({ id: card.id, actor: "demo" })));
    tally.add({ cancelled: dropped.length });
  }
}

function interrupted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
