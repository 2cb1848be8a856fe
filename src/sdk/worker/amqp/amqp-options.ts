// What a worker was told about its broker, and what it reads where it was not told.

import {
  documentQueues,
  isQueueMap,
  kindOf,
  type QueueMap,
  type QueueUse,
  queueUses,
  serialIn,
} from "../../../protocol/amqp/topology.ts";
import { patience } from "../../amqp/patience.ts";
import { brokerWhereabouts } from "../../environment.ts";
import type { CrewParts } from "../crew.ts";
import type { WorkerOptions } from "../options.ts";
import { type AmqpLinkOptions, noBroker } from "./amqp-link.ts";

export function amqpOptions(
  options: WorkerOptions,
  parts: Pick<CrewParts, "jobs" | "concurrency" | "prefetch">,
): AmqpLinkOptions {
  const { queue = "", ackMode = "afterClaim" } = options;
  const { jobs, prefetch } = parts;
  const around = brokerWhereabouts();
  const map = queueMap(around.queues);
  const use = options.kind ?? queueUse(map, queue, `give \`kind\`, or ${asTheServer}`);
  const serial = serialIn({ ...map, ...(use === "serial" && { [queue]: use }) });
  // They run one task at a time, whoever consumes them.
  const concurrency = serial.has(queue) ? 1 : parts.concurrency;
  const given = options.amqpUrl ?? around.url;
  if (given === null) throw new TypeError(noBroker);
  const amqpUrl = brokerUrl(given, options.amqpUrl === undefined ? "LEADHAND_AMQP_URL" : "amqpUrl");
  return {
    ...{ amqpUrl, queue, ackMode, jobs, concurrency, prefetch },
    ...{ kind: kindOf(use), queues: map, serial, deadLetters: around.deadLetters },
    patience: patience(),
  };
}

export const asTheServer = "set LEADHAND_AMQP_QUEUES as the server has it";

/** Whoever guessed wrong would take every message for one that nobody can read. `advice` is what the user can do then. */
export function queueUse(map: QueueMap, queue: string, advice: string): QueueUse {
  const use = Object.hasOwn(map, queue) ? map[queue] : undefined;
  if (use !== undefined) return use;
  throw new TypeError(`What the messages of queue '${queue}' are is not known: ${advice}`);
}

/** The same; its own words are not repeated where they are wrong, for there may be a password among them. */
export function brokerUrl(text: string, from: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : null;
  if (protocol === "amqp:" || protocol === "amqps:") return text;
  throw new TypeError(`${from} is no URL of a broker, as amqp://user:password@host:5672`);
}

/** As LEADHAND_AMQP_QUEUES says; the document's where it says nothing. */
export function queueMap(text: string | null): QueueMap {
  if (text === null) return documentQueues;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new TypeError("LEADHAND_AMQP_QUEUES is no JSON", { cause: error });
  }
  if (isQueueMap(read)) return read;
  throw new TypeError(`LEADHAND_AMQP_QUEUES is no map from queues to one of ${queueUses.join(", ")}`);
}
