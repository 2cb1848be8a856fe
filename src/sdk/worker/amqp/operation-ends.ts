// What becomes of an operation's message, by how its handler ended. Each is told to the server before the broker hears of it.

import { setTimeout as pause } from "node:timers/promises";
import { operationMessage } from "../../../core/messages.ts";
import { waitMs } from "../../../core/patience.ts";
import type { OperationMessage } from "../../../protocol/amqp/messages.ts";
import type { BrokerLink } from "../../amqp/broker-link.ts";
import type { Delivery, Verdict } from "../../amqp/consuming.ts";
import { memoryRetry } from "../../amqp/out-of-memory.ts";
import type { Parents } from "../../amqp/parents.ts";
import type { Patience } from "../../amqp/patience.ts";
import type { CheckedDeferral } from "../../deferral.ts";
import { Fail } from "../../ending.ts";
import { wordsOf } from "../../failure.ts";
import type { Failure, Outcome } from "../../run-handler.ts";
import type { Ended as AttemptEnded } from "../attempt.ts";
import type { WorkerLog } from "../options.ts";

export interface OperationEndParts {
  readonly broker: BrokerLink;
  readonly parents: Parents;
  readonly log: WorkerLog;
  readonly queue: string;
  /** Throws where messages may not be handed on to this one. */
  readonly checkQueue: (queue: string) => void;
  readonly patience: Pick<Patience, "publish" | "outOfMemory" | "redeliveryMax">;
  /** Aborts when no more work is wanted. */
  readonly signal: AbortSignal;
}

/** A message that is here. */
export interface Received {
  readonly delivery: Delivery;
  readonly message: OperationMessage;
  /** To the end of its queue, once, whoever asks. */
  goBack(): Promise<Verdict>;
  /** The same, for a colleague. */
  passOn(): Promise<Verdict>;
  /** It went there, or is on its way: whatever is done with it from now on is done for nothing. */
  isBack(): boolean;
}

export interface Ended extends AttemptEnded {
  readonly verdict: Verdict;
}

/** A message that wants to be tried later keeps its place here for no longer; nor does it come again at once. */
const laterMs = { least: 1_000, most: 10_000 };

export async function completed(
  parts: OperationEndParts,
  { parent, index }: OperationMessage,
  deferral: CheckedDeferral | null,
): Promise<Ended> {
  const { parents } = parts;
  const onward = (deferral as CheckedDeferral | null)?.messages ?? [];
  const queues = new Set(onward.map(({ queue }) => queue));
  if (parent !== null) await Promise.all([...queues].map((queue) => parents.handsOn(parent, queue)));
  // Each goes on in this one's place, and is counted in its place.
  await Promise.all(
    onward.map(({ queue, operation, payload }) =>
      sendSteadily(parts, queue, operationMessage({ operation, payload, parent, index })),
    ),
  );
  if (onward.length > 0) return { verdict: "ack", ending: "deferred" };
  const isCounted = parent === null || (await parents.count(parent, { index, status: "done" }));
  return isCounted ? { verdict: "ack", ending: "completed" } : { verdict: "deadLetter", ending: "refused" };
}

export async function failed(parts: OperationEndParts, message: OperationMessage, why: Failure): Promise<Ended> {
  const { operation, index, parent } = message;
  const code = why.code ?? nameOf(why);
  parts.parents.emit(parent, {
    ...{ level: "error", event: "failed", message: why.message, fields: { operation, index, code } },
  });
  return countedAsFailed(parts, message, why);
}

/** Its message is kept among the dead letters. */
async function countedAsFailed(
  { parents, log, queue }: OperationEndParts,
  { parent, index, operation }: OperationMessage,
  why: Failure,
): Promise<Ended> {
  const error = { code: why.code ?? nameOf(why) ?? null, message: why.message };
  log.warn("an operation has failed; its message is among the dead letters", {
    ...{ queue, operation, parent, index, code: error.code, error: error.message },
  });
  if (parent !== null) await parents.count(parent, { index, status: "failed", error });
  return { verdict: "deadLetter", ending: "failed", error: why.message };
}

export async function later(parts: OperationEndParts, received: Received, delayMs: number): Promise<Ended> {
  const waitsMs = Math.max(laterMs.least, Math.min(delayMs, laterMs.most));
  await pause(waitsMs, undefined, { signal: parts.signal }).catch(() => {});
  return givenBack(received);
}

export async function givenBack({ goBack }: Received): Promise<Ended> {
  return { verdict: await goBack(), ending: "released" };
}

/** A colleague knows the operation. */
export async function passedOn({ passOn }: Received): Promise<Ended> {
  return { verdict: await passOn(), ending: "released" };
}

/** The same message at the end of its queue: the broker would deliver it as one that a consumer did not survive. */
export async function publishedAnew(parts: OperationEndParts, { body, headers }: Delivery): Promise<Verdict> {
  try {
    await parts.broker.publish(parts.queue, textOf(body), headers);
    return "ack";
  } catch (error) {
    parts.log.debug("a message was not published anew", { queue: parts.queue, why: wordsOf(error) });
    return "requeue";
  }
}

export async function withoutMemory(parts: OperationEndParts, received: Received, why: Failure): Promise<Ended> {
  const { parents, queue, signal, patience } = parts;
  const { delivery, message } = received;
  const { parent, index, operation } = message;
  const retry = memoryRetry(delivery.headers, patience.outOfMemory);
  const say = (event: string, fields: object): void =>
    parents.emit(parent, { level: "warn", event, message: why.message, fields: { operation, index, ...fields } });
  if (retry === null) {
    say("cuda_oom_dead_letter", {});
    return countedAsFailed(parts, message, why);
  }
  say("cuda_oom_retry", { try: retry.tried, delay_seconds: retry.delayMs / 1_000 });
  await pause(retry.delayMs, undefined, { signal }).catch(() => {});
  // A worker that ends leaves the message as it was.
  if (signal.aborted) return givenBack(received);
  await sendSteadily(parts, queue, textOf(delivery.body), retry.headers);
  return { verdict: "ack", ending: "released" };
}

/** What has one place among its parent's messages cannot go on as several: the first of them would count for all. */
export function checkOnward(
  { checkQueue }: Pick<OperationEndParts, "checkQueue">,
  { parent, index }: OperationMessage,
  { messages }: CheckedDeferral,
): void {
  for (const { queue } of messages) checkQueue(queue);
  if (parent === null || index === null || messages.length <= 1) return;
  const said = `An operation of index ${index} handed on ${messages.length} messages; one may take its place`;
  throw new Fail(said, { code: "deferral-refused", retryable: false });
}

/** A broker that is away for a moment costs time. */
async function sendSteadily(
  { broker, patience: { publish } }: Pick<OperationEndParts, "broker" | "patience">,
  queue: string,
  body: string,
  headers: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await broker.publish(queue, body, headers);
    } catch (error) {
      if (tried >= publish.attempts) throw error;
      await pause(waitMs(publish, tried), undefined, { ref: false });
    }
  }
}

export function unknownOperation(operation: string): Failure {
  const message = `No operation is registered under the name '${operation}'`;
  return { message, code: "UnknownOperation", details: null, retryable: false };
}

export function tooManyDeliveries(tried: number): Failure {
  const message = `It was delivered ${tried} times, and each consumer ended before it did`;
  return { message, code: "TooManyDeliveries", details: null, retryable: false };
}

/** The class of what was thrown. */
export function nameOf({ details }: Pick<Extract<Outcome, { type: "failed" }>, "details">): string | undefined {
  const said: unknown = details === null ? null : JSON.parse(details);
  return typeof said === "object" && said !== null && "name" in said ? String(said.name) : undefined;
}

function textOf(body: unknown): string {
  if (typeof body === "string") return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body);
}
