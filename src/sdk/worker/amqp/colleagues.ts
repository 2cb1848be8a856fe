// Who else takes tasks of a queue: consumers of it, and workers of other doors that take every queue, or this one too.

import { ServerProblem } from "../../problem.ts";
import type { SteadyApi, SteadyAsk } from "../../steady-api.ts";
import { elapsedMs } from "../../system.ts";

/** What a worker takes it says when it registers; it may do so anew. */
const knownMs = 60_000;
/** Requests under way at a time. */
const width = 10;
/** Of more than so many workers one is taken to be among them. */
const workersMax = 1_000;

/** Answers whether there is one of them among these workers. */
export function colleagues(
  api: SteadyApi,
  queue: string,
  now: () => number = elapsedMs,
): (workers: readonly string[], how: Pick<SteadyAsk, "tries" | "signal">) => Promise<boolean> {
  let known = new Map<string, boolean>();
  let knownSince = now();

  async function takesQueue(worker: string, how: SteadyAsk): Promise<boolean> {
    try {
      const { body } = await api.request<{ queues: readonly string[] | null }>("GET", `/workers/${worker}`, how);
      return body.queues?.includes(queue) ?? true;
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
      const answers = await Promise.all(some.map((each) => takesQueue(each, how)));
      for (const [nth, worker] of some.entries()) known.set(worker, answers[nth] === true);
      if (answers.includes(true)) return true;
    }
    return false;
  };
}
