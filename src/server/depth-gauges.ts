// Gauges that are read from the store when somebody scrapes: how much work waits, is held, and who is there. A store that
// is away or slow leaves them out; the rest of the scrape is answered all the same.

import { Gauge, type Registry } from "prom-client";
import { type WorkerState, workerStates } from "../core/liveness.ts";
import type { Clock } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";

export interface JobDepth {
  readonly job: string;
  readonly ready: number;
  readonly held: number;
  /** Age of the oldest ready task; null when none is ready. */
  readonly oldestReadyMs: number | null;
}

export interface Depths {
  readonly jobs: readonly JobDepth[];
  readonly workers: Readonly<Record<WorkerState, number>>;
}

export interface DepthGauges {
  setRead(read: () => Promise<Depths>): void;
  /** Reads once for all who ask at the same time. */
  refresh(): Promise<void>;
}

/** Names of jobs are users' words and may be many; those with the most tasks are listed, the others summed up. */
export const jobsListedMax = 1_000;
export const otherJobs = "(others)";

/** Those that are gone are kept only so that one can look them up; they are nobody's to count. */
const statesShown = workerStates.filter((state) => state !== "DELETED");

const readWithinMs = 2_000;

export function depthGauges(around: { readonly clock: Clock; readonly log: Log }, registers: Registry[]): DepthGauges {
  const gauge = (name: string, help: string, label: string) =>
    new Gauge({ name, help, labelNames: [label], registers });
  const ready = gauge("leadhand_tasks_ready", "Tasks that wait for a worker.", "job");
  const held = gauge("leadhand_tasks_held", "Tasks in the hands of workers.", "job");
  const oldest = gauge("leadhand_oldest_ready_seconds", "Age of the oldest task that waits for a worker.", "job");
  const workers = gauge("leadhand_workers", "Workers, by state.", "state");
  let read: (() => Promise<Depths>) | null = null;
  let reading: Promise<void> | null = null;

  function show(depths: Depths): void {
    for (const job of listed(depths.jobs)) {
      ready.set({ job: job.job }, job.ready);
      held.set({ job: job.job }, job.held);
      if (job.oldestReadyMs !== null) oldest.set({ job: job.job }, job.oldestReadyMs / 1_000);
    }
    for (const state of statesShown) workers.set({ state }, depths.workers[state]);
  }

  async function readOnce(ask: () => Promise<Depths>): Promise<void> {
    let depths: Depths | null = null;
    try {
      depths = await soon(ask(), around.clock);
    } catch (error) {
      around.log.warn("Could not read the depths of queues for a scrape", { error });
    }
    for (const each of [ready, held, oldest, workers]) each.reset();
    if (depths !== null) show(depths);
  }

  return {
    setRead(next) {
      read = next;
    },
    async refresh() {
      if (read === null) return;
      reading ??= readOnce(read).finally(() => {
        reading = null;
      });
      await reading;
    },
  };
}

function listed(jobs: readonly JobDepth[]): readonly JobDepth[] {
  if (jobs.length <= jobsListedMax) return jobs;
  const sorted = jobs.toSorted((a, b) => b.ready + b.held - (a.ready + a.held));
  const rest = sorted.slice(jobsListedMax - 1);
  const sum = (key: "ready" | "held"): number => rest.reduce((total, job) => total + job[key], 0);
  const ages = rest.flatMap(({ oldestReadyMs }) => oldestReadyMs ?? []);
  const others = {
    job: otherJobs,
    ready: sum("ready"),
    held: sum("held"),
    oldestReadyMs: ages.length > 0 ? Math.max(...ages) : null,
  };
  return [...sorted.slice(0, jobsListedMax - 1), others];
}

function soon<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.alarm(clock.now() + readWithinMs, () => reject(new Error(`No answer in ${readWithinMs} ms`)));
    work.then(resolve, reject).finally(cancel);
  });
}
