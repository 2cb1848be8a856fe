// Who else takes what is in a queue. Its tasks: consumers of it, and workers of other doors that take every queue, or this one
// too. Its messages of operations: consumers of it alone.

import { ServerProblem } from "../../problem.ts";
import type { SteadyApi, SteadyAsk } from "../../steady-api.ts";
import { elapsedMs } from "../../system.ts";

/** What a worker takes it says when it registers; it may do so anew. */
const knownMs = 60_000;
/** Requests under way at a time. */
const width = 10;
/** Of more than so many workers one is taken to be among them. */
const workersMax = 1_000;

interface WorkerThere {
  readonly profile: string;
  readonly state: string;
  readonly queues: readonly string[] | null;
}

export function takesTasks(queue: string): (worker: WorkerThere) => boolean {
  return ({ queues }) => queues?.includes(queue) ?? true;
}

/** One that was lost is kept for a day: for that long no message may wait for it. */
export function takesMessages(queue: string): (worker: WorkerThere) => boolean {
  return ({ profile, state, queues }) => profile === "amqp" && state !== "OFFLINE" && queues?.includes(queue) === true;
}

/** Answers whether there is one of them among these workers. */
export function colleagues(
  api: SteadyApi,
  isOne: (worker: WorkerThere) => boolean,
  now: () => number = elapsedMs,
): (workers: readonly string[], how: Pick<SteadyAsk, "tries" | "signal">) => Promise<boolean> {
  let known = new Map<string, boolean>();
  let knownSince = now();

  async function isAmong(worker: string, how: SteadyAsk): Promise<boolean> {
    try {
      const { body } = await api.request<WorkerThere>("GET", `/workers/${worker}`, how);
      return isOne(body);
    } catch (error) {
      // It has gone meanwhile.
      if (error instanceof ServerProblem && error.status === 404) return false;
      throw error;
    }
  }

  return async (workers, how) => {
    if (workers.length > workersMax) return true;
    if (now() - knownSince >= knownMs) {
      known = new Map();
      knownSince = now();
    }
    if (workers.some((worker) => known.get(worker))) return true;
    const unknown = workers.filter((worker) => !known.has(worker));
    for (let from = 0; from < unknown.length; from += width) {
      const some = unknown.slice(from, from + width);
      const answers = await Promise.all(some.map((each) => isAmong(each, how)));
      for (const [nth, worker] of some.entries()) known.set(worker, answers[nth] === true);
      if (answers.includes(true)) return true;
    }
    return false;
  };
}
