// What the two ways to run graphile-worker share. A job that is done is deleted; a worker that was thought dead is not
// told apart from the one that has the job now.

import { Logger, makeWorkerUtils, run } from "graphile-worker";
import { payload } from "../bench-tasks.ts";
import type { MeasureInput } from "../measure.ts";
import { inCalls, type Producer, type Where, type Work } from "./system.ts";

const task = "bench";
const producersMax = 50;
/** What its documentation recommends beyond the number of concurrent jobs. */
const spareConnections = 2;

export async function produceGraphile({ place }: MeasureInput): Promise<Producer> {
  if (place.kind !== "postgres") throw new Error(`graphile-worker does not run on ${place.kind}`);
  const utils = await makeWorkerUtils({ connectionString: place.url, maxPoolSize: producersMax, logger: silent });
  await utils.migrate();
  return {
    where: { url: place.url },
    submit: (n) => utils.addJob(task, JSON.parse(payload(n))),
    submitMany: (tasks) =>
      inCalls(tasks, (count) =>
        utils.addJobs(Array.from({ length: count }, (_, n) => ({ identifier: task, payload: JSON.parse(payload(n)) }))),
      ),
    stop: async () => utils.release(),
  };
}

export async function graphileWork(
  { url }: Where,
  { concurrency, handle, ended }: Work,
  settings: GraphileConfig.WorkerOptions,
): Promise<() => Promise<unknown>> {
  const runner = await run({
    noHandleSignals: true,
    taskList: {
      [task]: async (_payload, { job }) => {
        await handle(job.id);
      },
    },
    preset: {
      worker: {
        connectionString: String(url),
        concurrentJobs: concurrency,
        maxPoolSize: Math.max(10, concurrency + spareConnections),
        logger: silent,
        ...settings,
      },
    },
  });
  runner.events.on("job:complete", ({ error }) => {
    if (error) throw error;
    ended(1);
  });
  runner.events.on("worker:fatalError", ({ error }) => {
    throw error;
  });
  return () => runner.stop();
}

/** A line for every job would be measured too. */
const silent = new Logger(() => () => {});
