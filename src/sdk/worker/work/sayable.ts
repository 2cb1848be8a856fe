// One bad word in a heartbeat spoils all the others in it, so what no server takes is not said. A result, a checkpoint and
// each message of a deferral have been looked at when they were written.

import { type CheckedMessage, messageText } from "../../deferral.ts";
import { offenceIn } from "../../json-offence.ts";
import type { End } from "../settle.ts";
import { bytesOf, frameBytesMax } from "./words.ts";

export function sayable(outcome: End): End {
  switch (outcome.type) {
    case "completed":
    case "released":
      return outcome;
    case "failed":
      return offenceIn(outcome.details ?? "") === null ? outcome : { ...outcome, details: null };
    case "deferred":
      return offenceOf(outcome.messages) ?? outcome;
  }
}

/** Null where there is none. */
function offenceOf(messages: readonly CheckedMessage[]): End | null {
  const texts = messages.map(messageText);
  if (texts.reduce((sum, text) => sum + bytesOf(text), 0) <= frameBytesMax) return null;
  const message = `The deferral cannot be told to a server: it has more than ${frameBytesMax} bytes`;
  return { type: "failed", message, code: "deferral-refused", details: null, retryable: false };
}
