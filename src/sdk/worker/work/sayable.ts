// One bad word in a heartbeat spoils all the others in it, so what no server takes is not said: JSON that is nested too
// deep, NUL, and halves of surrogate pairs.

import { jsonDepthMax } from "../../../core/checksum.ts";
import { findOffence } from "../../../protocol/json-scan.ts";
import { type CheckedMessage, messageText } from "../../deferral.ts";
import type { Outcome } from "../../run-handler.ts";
import type { End } from "../settle.ts";
import { bytesOf, frameBytesMax } from "./words.ts";

/** Of the heartbeat around it. */
const depthAround = 4;

export function sayable(outcome: End): End {
  switch (outcome.type) {
    case "completed":
      return fits(outcome.result) ?? outcome;
    case "released":
      return fits(outcome.checkpoint, "released") ?? outcome;
    case "failed":
      return offenceIn(outcome.details) === null ? outcome : { ...outcome, details: null };
    case "deferred":
      return offenceOf(outcome.messages) ?? outcome;
  }
}

/** Null where there is none. */
function offenceOf(messages: readonly CheckedMessage[]): End | null {
  const texts = messages.map(messageText);
  const isLong = texts.reduce((sum, text) => sum + bytesOf(text), 0) > frameBytesMax;
  const says = isLong ? `has more than ${frameBytesMax} bytes` : offenceIn(`[${texts.join(",")}]`);
  return says === null ? null : refused("deferral", says);
}

/** Null where it does. */
function fits(text: string | null, type: "completed" | "released" = "completed"): Outcome | null {
  const says = offenceIn(text);
  if (says === null) return null;
  const what = type === "completed" ? "result" : "checkpoint";
  return refused(what, says);
}

function refused(what: string, says: string): Outcome {
  const message = `The ${what} cannot be told to a server: it ${says}`;
  return { type: "failed", message, code: `${what}-refused`, details: null, retryable: false };
}

function offenceIn(text: string | null): string | null {
  return text === null ? null : (findOffence(text, jsonDepthMax - depthAround)?.says ?? null);
}
