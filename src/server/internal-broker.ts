// The broker of a server that runs jobs itself, by its settings.

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Broker } from "../ports/broker.ts";
import { threadBroker } from "../transports/internal/thread-broker.ts";
import { serverLog } from "./log.ts";
import type { Config } from "./settings/settings.ts";
import { systemClock } from "./system.ts";

/** Undefined where no jobs are configured. `entry` is the file that runs in each thread. */
export function internalBroker(config: Config, entry: URL): Broker | undefined {
  if (config.internal === null) return undefined;
  const clock = systemClock();
  return threadBroker({
    entry,
    module: pathToFileURL(resolve(config.internal)).href,
    threads: config.internalThreads,
    clock,
    log: serverLog({ level: config.logLevel, format: config.logFormat, clock: { now: clock.machine } }),
    // Standard output belongs to the line that says that the server is ready.
    print: (output) => void output.on("data", (text: Buffer) => process.stderr.write(text)),
  });
}
