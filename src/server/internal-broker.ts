// Who runs the internal jobs of a file: threads of the server, or a process of its own behind RabbitMQ, by its settings.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { InternalJob } from "../core/internal-job.ts";
import type { Broker } from "../ports/broker.ts";
import { amqpBroker } from "../transports/internal/amqp-broker.ts";
import { type AmqpExecutor, amqpExecutor } from "../transports/internal/amqp-executor.ts";
import { threadBroker } from "../transports/internal/thread-broker.ts";
import { serverLog } from "./log.ts";
import type { Config } from "./settings/settings.ts";
import { systemClock, systemIds } from "./system.ts";

/** Undefined where no jobs are configured. `entry` is the file that runs in each thread. */
export function internalBroker(config: Config, entry: URL): Broker | undefined {
  const { internal: file, internalThreads: threads, amqpUrl } = config;
  if (file === null) return undefined;
  if (config.internalBroker === "threads" || amqpUrl === null) return threadsOf(config, { entry, file, threads });
  const clock = systemClock();
  return amqpBroker({
    ...{ url: amqpUrl, id: systemIds(clock).next(), places: threads, clock, log: logOf(config) },
    describe: () => described(threadsOf(config, { entry, file, threads: 1 })),
  });
}

/** A process of its own that runs the file's jobs for all servers that have the same. */
export function internalExecutor(config: Config, url: string, jobs: JobThreads): AmqpExecutor {
  const clock = systemClock();
  const id = systemIds(clock).next();
  return amqpExecutor({ url, id, threads: threadsOf(config, jobs), clock, log: logOf(config) });
}

export interface JobThreads {
  readonly entry: URL;
  readonly file: string;
  readonly threads: number;
}

function threadsOf(config: Config, { entry, file, threads }: JobThreads): Broker {
  const module = pathToFileURL(resolve(file)).href;
  return threadBroker({
    ...{ entry, module, threads, clock: systemClock(), log: logOf(config) },
    // Standard output belongs to the line that says that the process is ready.
    print: (output) => void output.on("data", (text: Buffer) => process.stderr.write(text)),
  });
}

/** Even to learn what its jobs are called, the file is run in a thread. */
async function described(threads: Broker): Promise<readonly InternalJob[]> {
  try {
    return await threads.start({ started: async () => false, progressed() {}, logged() {}, ended() {}, placed() {} });
  } finally {
    await threads.stop();
  }
}

function logOf({ logLevel: level, logFormat: format }: Config) {
  return serverLog({ level, format, clock: { now: systemClock().machine } });
}
