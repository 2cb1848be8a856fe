// What a worker was told about its broker, and what it reads where it was not told.

import { documentQueues, type QueueMap, serialQueues } from "../../../protocol/amqp/topology.ts";
import { patience } from "../../amqp/patience.ts";
import { brokerWhereabouts } from "../../environment.ts";
import type { CrewParts } from "../crew.ts";
import type { WorkerOptions } from "../options.ts";
import { type AmqpLinkOptions, noBroker } from "./amqp-link.ts";

export function amqpOptions(
  options: WorkerOptions,
  parts: Pick<CrewParts, "jobs" | "concurrency" | "prefetch">,
): AmqpLinkOptions {
  const { queue = "", ackMode = "afterClaim", kind } = options;
  const { jobs, prefetch } = parts;
  // The document's serialised coordinators run one job at a time, whoever consumes them.
  const concurrency = serialQueues.has(queue) ? 1 : parts.concurrency;
  const around = brokerWhereabouts();
  const given = options.amqpUrl ?? around.url;
  if (given === null) throw new TypeError(noBroker);
  const amqpUrl = brokerUrl(given, options.amqpUrl === undefined ? "LEADHAND_AMQP_URL" : "amqpUrl");
  return {
    ...{ amqpUrl, queue, ackMode, jobs, concurrency, prefetch },
    kind: kind ?? queueMap(around.queues)[queue] ?? "job",
    deadLetters: around.deadLetters,
    patience: patience(),
  };
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
  const isMap = typeof read === "object" && read !== null && !Array.isArray(read);
  if (!isMap || Object.values(read as object).some((kind) => kind !== "job" && kind !== "operation"))
    throw new TypeError('LEADHAND_AMQP_QUEUES is no map from queues to "job" or "operation"');
  return read as QueueMap;
}
