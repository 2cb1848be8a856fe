// The bench from beginning to end: single tasks to a worker that waits, then many tasks that wait for a worker. Server,
// worker and caller are three processes.

import { setTimeout as pause } from "node:timers/promises";
import { newKey } from "../../sdk/system.ts";
import { monotonicMs } from "../../server/system.ts";
import { type Child, startChild } from "./child.ts";
import { type Submitter, submitAll, submitter } from "./submitting.ts";
import type { Progress, Ready, Started, WorkerWords } from "./words.ts";

export interface Bench {
  readonly url: string;
  readonly token: string;
  readonly tasks: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

export interface Percentiles {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface BenchResult {
  /** Single tasks, 50 requests under way. */
  readonly submit: Percentiles & { readonly perSecond: number };
  /** From the first start to the last end. */
  readonly drain: { readonly perSecond: number };
  /** From the sending of a submit to the start of the handler, where there is nothing else to do. */
  readonly pickup: Percentiles;
}

export async function runBench(bench: Bench): Promise<BenchResult> {
  const { url, token, tasks, signal } = bench;
  // Of its own, so that two benches on one server do not do each other's tasks.
  const name = `bench-${newKey().slice(0, 8)}`;
  const calls = submitter(url, token);
  const workers: Child[] = [];

  async function started(queue: string, expected: number | null): Promise<Child> {
    const words: WorkerWords = { url, token, queue, concurrency: bench.concurrency, tasks: expected };
    const worker = startChild("worker", words, signal);
    workers.push(worker);
    await worker.next<Ready>("ready");
    return worker;
  }

  try {
    const waiting = await started(`${name}-one`, null);
    const times = await pickups(calls, waiting, `${name}-one`, bench);
    const submitted = await submitAll(calls, `${name}-many`, tasks, signal);
    const { startedAt, endedAt } = await drained(await started(`${name}-many`, tasks), tasks);
    return {
      submit: { perSecond: (1_000 * tasks) / submitted.ms, ...percentiles(submitted.times) },
      drain: { perSecond: (1_000 * tasks) / (endedAt - startedAt) },
      pickup: percentiles(times),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    calls.close();
  }
}

const samplesMax = 200;
/** Long enough for the worker to wait again. */
const idleMs = 10;

/** One in four more comes first, for code that has not run yet. */
async function pickups(calls: Submitter, worker: Child, queue: string, bench: Bench): Promise<number[]> {
  const { tasks, signal } = bench;
  const times: number[] = [];
  const samples = Math.min(samplesMax, tasks);
  for (let left = Math.ceil(1.25 * samples); left > 0; left -= 1) {
    await pause(idleMs, undefined, { signal });
    const sentAt = monotonicMs();
    const [, { at }] = await Promise.all([calls.submit(queue), worker.next<Started>("started")]);
    if (left <= samples) times.push(at - sentAt);
  }
  return times;
}

async function drained(worker: Child, tasks: number): Promise<Progress> {
  for (;;) {
    const progress = await worker.next<Progress>("progress");
    if (progress.ended >= tasks) return progress;
  }
}

function percentiles(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
