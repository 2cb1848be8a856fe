// How workers take their tasks and messages: flags of `leadhand worker`, and of `leadhand up` for all of its workers.

import type { AckMode } from "../sdk/worker/amqp/task-loop.ts";
import { wholeNumber } from "./page-flags.ts";
import { UsageError } from "./usage-error.ts";

export const consumerFlags = { "ack-mode": { type: "string" }, prefetch: { type: "string" } } as const;

export const consumerUsage = [
  "  --ack-mode M    when a message of the broker that names a task is acknowledged:",
  "                  afterClaim unless said, preAck or afterJob",
  "  --prefetch N    how many more tasks or messages it keeps in hand than it runs",
];

export interface ConsumerWords {
  readonly ackMode?: AckMode;
  readonly prefetch?: number;
}

const ackModes = ["afterClaim", "preAck", "afterJob"] as const satisfies readonly AckMode[];
const prefetchMax = 10_000;

/** Throws a UsageError. */
export function consumerWords(flags: Readonly<Record<string, unknown>>): ConsumerWords {
  const given = flags["ack-mode"];
  const ackMode = ackModes.find((each) => each === given);
  if (given !== undefined && ackMode === undefined) {
    throw new UsageError(`--ack-mode is ${String(given)}; it has to be ${ackModes.join(", ")}`);
  }
  const prefetch = wholeNumber(flags, "prefetch", 0, prefetchMax);
  return { ...(ackMode !== undefined && { ackMode }), ...(prefetch !== undefined && { prefetch }) };
}
