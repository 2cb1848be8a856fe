// Brokers over RabbitMQ as a server has them, in the test's process, and what they were told.

import { after } from "node:test";
import { pathToFileURL } from "node:url";
import { executorEntry } from "../../src/cli/executor-entry.ts";
import type { Assignment, Ending, Hold, InternalJob } from "../../src/core/internal-job.ts";
import type { Broker, Reports } from "../../src/ports/broker.ts";
import { systemClock, systemIds } from "../../src/server/system.ts";
import { recordedLog } from "../../src/testing/recorded-log.ts";
import { until } from "../../src/testing/until.ts";
import { amqpBroker } from "../../src/transports/internal/amqp-broker.ts";
import { threadBroker } from "../../src/transports/internal/thread-broker.ts";
import { amqpUrl } from "../fresh-broker.ts";

const clock = systemClock();
const ids = systemIds(clock);
const log = recordedLog();
export const nobody: Reports = { started: async () => true, progressed() {}, logged() {}, ended() {}, placed() {} };
const opened: Broker[] = [];
after(() => Promise.all(opened.map((broker) => broker.stop())));

export async function describedJobs(file: string): Promise<readonly InternalJob[]> {
  const module = pathToFileURL(file).href;
  const threads = threadBroker({ entry: executorEntry, module, threads: 1, clock, log, print() {} });
  return threads.start(nobody).finally(() => threads.stop());
}

export interface BrokerOptions {
  readonly file: string;
  readonly places: number;
  readonly url?: string;
  readonly id?: string;
}

/** Not yet started. It stops with the test file. */
export function broker({ file, places, url = amqpUrl as string, id = ids.next() }: BrokerOptions): Broker {
  const made = amqpBroker({ url, id, places, describe: () => describedJobs(file), clock, log });
  opened.push(made);
  return made;
}

/** Resolves when all its places are there. */
export async function started(options: BrokerOptions, reports: Partial<Reports> = {}): Promise<Broker> {
  const made = broker(options);
  await made.start({ ...nobody, ...reports });
  await until("the executors are heard of", () => made.places === options.places, 20_000);
  return made;
}

export function assignment(job: string, payload = "{}"): Assignment {
  const name = `@internal:modifiers:${job}`;
  return { task: ids.next(), attempt: 1, worker: "w", job: name, room: "lab", payload, checkpoint: null };
}

export interface Told {
  /** Ids of tasks, in order. */
  readonly started: readonly string[];
  readonly ended: ReadonlyMap<string, Ending>;
  readonly reports: Partial<Reports>;
}

export function told(): Told {
  const begun: string[] = [];
  const ended = new Map<string, Ending>();
  return {
    ...{ started: begun, ended },
    reports: {
      async started({ task }: Hold) {
        begun.push(task);
        return true;
      },
      ended: ({ task }: Hold, ending: Ending) => void ended.set(task, ending),
    },
  };
}
