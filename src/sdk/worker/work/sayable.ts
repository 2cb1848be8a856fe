// One bad word in a heartbeat spoils all the others in it, so what no server takes is not said. A result or a checkpoint
// has been looked at when it was written.

import { type CheckedMessage, messageText } from "../../deferral.ts";
import { offenceIn } from "../../json-offence.ts";
import type { Outcome } from "../../run-handler.ts";
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
  const isLong = texts.reduce((sum, text) => sum + bytesOf(text), 0) > frameBytesMax;
  const says = isLong ? `has more than ${frameBytesMax} bytes` : offenceIn(`[${texts.join(",")}]`);
  return says === null ? null : refused(says);
}

function refused(says: string): Outcome {
  const message = `The deferral cannot be told to a server: it ${says}`;
  return { type: "failed", message, code: "deferral-refused", details: null, retryable: false };
}
