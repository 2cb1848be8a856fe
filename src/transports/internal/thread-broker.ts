// A broker over threads of the server's own process: a place is a thread. Threads are started when they are needed, and
// one that died is replaced with the next task, so a module that cannot be loaded any more costs no more than its tasks.

import type { Readable } from "node:stream";
import type { Assignment, InternalJob } from "../../core/internal-job.ts";
import type { Broker, Reports } from "../../ports/broker.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { type ExecutorThread, executorThread } from "./executor-thread.ts";

export interface ThreadBrokerOptions {
  /** The file that runs in each thread, and the module it runs, as a URL. */
  readonly entry: URL;
  readonly module: string;
  readonly threads: number;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** Where what handlers print goes. */
  print(output: Readable): void;
}

/** A module that takes longer to load than this does something else. */
const loadWithinMs = 30_000;

export function threadBroker(options: ThreadBrokerOptions): Broker {
  const { entry, module, threads: places, clock, log, print } = options;
  const threads = new Set<ExecutorThread>();
  let reports: Reports | null = null;
  let known = new Set<string>();
  let stopped = false;
  let count = 0;

  function begin(): ExecutorThread {
    count += 1;
    const gone = (): void => {
      threads.delete(thread);
    };
    const name = `leadhand internal ${count}`;
    const told = reports as Reports;
    const thread = executorThread({ entry, start: { module }, name, clock, reports: told, print, gone });
    threads.add(thread);
    return thread;
  }

  function dispatch(assignment: Assignment): boolean {
    if (stopped || !known.has(assignment.job)) return false;
    try {
      const free = [...threads].find((thread) => thread.isFree());
      if (free === undefined && threads.size >= places) return false;
      (free ?? begin()).run(assignment);
      return true;
    } catch (error) {
      log.warn("a thread for internal jobs could not be used", { error });
      return false;
    }
  }

  return {
    places,
    async start(to) {
      reports = to;
      const thread = begin();
      const silence = clock.alarm(clock.now() + loadWithinMs, () => void thread.stop());
      try {
        const jobs: readonly InternalJob[] = await thread.ready;
        known = new Set(jobs.map(({ name }) => name));
        return jobs;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new Error(`${module} cannot be used for internal jobs: ${why}`, { cause: error });
      } finally {
        silence();
      }
    },
    dispatch: async (assignments) => assignments.map(dispatch),
    abort(hold, reason) {
      for (const thread of threads) if (thread.has(hold)) thread.abort(reason);
    },
    async stop() {
      stopped = true;
      await Promise.all([...threads].map((thread) => thread.stop()));
    },
  };
}
