// What a handler leaves behind when it defers, checked before anything is told to the server.

import { Fail } from "./ending.ts";
import type { Deferral, OperationMessage } from "./job.ts";

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

const totalMax = 2 ** 31 - 1;

/** Throws a failure that no other attempt would mend. */
export function checkedDeferral({ total, messages = [] }: Deferral): CheckedDeferral {
  const expected = total ?? messages.length;
  if (!(Number.isInteger(expected) && expected >= 0 && expected <= totalMax)) {
    throw refusal(`task.defer was given the total ${String(total)}; it has to be a whole number from 0 on`);
  }
  if (expected < messages.length) {
    throw refusal(`task.defer was given ${messages.length} messages, and ${expected} as their total`);
  }
  return { total: expected, messages: messages.map(checkedMessage) };
}

/** As the server takes it. */
export function messageText({ queue, operation, payload }: CheckedMessage): string {
  return `{"queue":${JSON.stringify(queue)},"operation":${JSON.stringify(operation)},"payload":${payload}}`;
}

export function cannotDefer(): Fail {
  return refusal("task.defer works in a Worker, by whatever link, and this task came by another door");
}

function checkedMessage({ queue, operation, payload }: OperationMessage, nth: number): CheckedMessage {
  const isNamed = typeof queue === "string" && queue !== "" && typeof operation === "string" && operation !== "";
  if (!isNamed) throw refusal(`Message ${nth} of task.defer lacks its queue or its operation`);
  const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
  if (!isObject) throw refusal(`The payload of message ${nth} of task.defer is no object`);
  try {
    return { queue, operation, payload: JSON.stringify(payload) };
  } catch (error) {
    throw refusal(`The payload of message ${nth} of task.defer cannot be written as JSON`, error);
  }
}

function refusal(message: string, cause?: unknown): Fail {
  return new Fail(message, { code: "deferral-refused", retryable: false, cause });
}
