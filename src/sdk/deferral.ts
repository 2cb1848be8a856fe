// What a handler leaves behind when it defers, checked before anything is told to the server.

import { countMax } from "../core/checks.ts";
import { nameBytesMax } from "../core/name.ts";
import type { payloadBytesMax as PayloadBytesMax } from "../protocol/amqp/messages.ts";
import type { messagesMax as MessagesMax } from "../protocol/rest/task-bodies.ts";
import { Fail } from "./ending.ts";
import type { Deferral, OperationMessage } from "./job.ts";
import { offenceIn } from "./json-offence.ts";

/** Checked; payloads are JSON texts. */
export interface CheckedDeferral {
  readonly total: number;
  readonly messages: readonly CheckedMessage[];
}

export interface CheckedMessage {
  readonly queue: string;
  readonly operation: string;
  readonly payload: string;
}

/** Does not compile where it differs from the protocol's own, which is not loaded: a worker's program should start fast. */
const messagesMax: typeof MessagesMax = 10_000;

/** No consumer reads more; most brokers and servers take less. */
const payloadBytesMax: typeof PayloadBytesMax = 67_108_864;

/** Throws a failure that no other attempt would mend. */
export function checkedDeferral({ total, messages = [] }: Deferral): CheckedDeferral {
  const expected = total ?? messages.length;
  if (!(Number.isInteger(expected) && expected >= 0 && expected <= countMax)) {
    throw refusal(`task.defer was given the total ${String(total)}; it has to be a whole number from 0 on`);
  }
  if (expected < messages.length) {
    throw refusal(`task.defer was given ${messages.length} messages, and ${expected} as their total`);
  }
  if (messages.length > messagesMax) {
    throw refusal(`task.defer was given ${messages.length} messages; at most ${messagesMax} fit`);
  }
  return { total: expected, messages: Array.from(messages, checkedMessage) };
}

/** As the server takes it. */
export function messageText({ queue, operation, payload }: CheckedMessage): string {
  return `{"queue":${JSON.stringify(queue)},"operation":${JSON.stringify(operation)},"payload":${payload}}`;
}

export function cannotDefer(): Fail {
  return refusal("task.defer works in a Worker, by whatever link, and this task came by another door");
}

export function nothingToWaitFor(): Fail {
  const said = "The operation deferred, and says neither how many have to end nor which messages or tasks they are";
  return refusal(`${said}: give progressTotal, publishOperations or publishAfterCommit`);
}

function checkedMessage({ queue, operation, payload }: OperationMessage, nth: number): CheckedMessage {
  const isNamed = typeof queue === "string" && queue !== "" && typeof operation === "string" && operation !== "";
  if (!isNamed) throw refusal(`Message ${nth} of task.defer lacks its queue or its operation`);
  for (const [what, name] of Object.entries({ queue, operation })) {
    if (Buffer.byteLength(name) <= nameBytesMax) continue;
    throw refusal(`The ${what} of message ${nth} of task.defer has more than ${nameBytesMax} bytes`);
  }
  const text = payloadText(payload, nth);
  // By its text: dates, addresses and the like are objects that become none.
  if (text?.startsWith("{") !== true) throw refusal(`The payload of message ${nth} of task.defer is no object`);
  const message = { queue, operation, payload: text };
  // Whoever is sent it could not read it, and nobody would ever count it.
  const says = offenceIn(`[${messageText(message)}]`);
  if (says !== null) throw refusal(`Message ${nth} of task.defer cannot be told to anybody: it ${says}`);
  if (Buffer.byteLength(text) <= payloadBytesMax) return message;
  throw refusal(`The payload of message ${nth} of task.defer has more than ${payloadBytesMax} bytes`);
}

function payloadText(payload: unknown, nth: number): string | undefined {
  try {
    return JSON.stringify(payload);
  } catch (error) {
    throw refusal(`The payload of message ${nth} of task.defer cannot be written as JSON`, error);
  }
}

function refusal(message: string, cause?: unknown): Fail {
  return new Fail(message, { code: "deferral-refused", retryable: false, cause });
}
