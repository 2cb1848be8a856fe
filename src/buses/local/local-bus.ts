// The bus of a server that is alone with its database: everyone who listens is in this process.

import type { Bus, Topic } from "../../ports/bus.ts";
import type { Log } from "../../ports/log.ts";
import { listeners } from "../listeners.ts";

export interface LocalBus extends Bus {
  /** Whether anyone listens. */
  wanted(topic: Topic): boolean;
}

/**
 * A bus within this process. A listener that fails is logged, or, without a log, ends the process.
 *
 * @example
 * ```ts
 * import { localBus } from "leadhand/testing";
 *
 * const bus = localBus(console);
 * const end = bus.subscribe("catalog", (message) => console.log(message));
 * bus.publish("catalog", "1");
 * end();
 * ```
 */
export function localBus(log: Log | null = null): LocalBus {
  const here = listeners(log);
  return {
    start: async () => undefined,
    stop: async () => here.close(),
    publish: (topic, message = "") => here.deliverLater(topic, message),
    subscribe: (topic, listener) => here.add(topic, listener),
    wanted: (topic) => here.has(topic),
    company: () => undefined,
  };
}
