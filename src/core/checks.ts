// Checks of numbers and ids that come from outside. What is refused here has touched no row, and the refusal names the
// field; whatever passes, every store can keep.

import { checkNameLength } from "./name.ts";
import { badField, Problem } from "./problem.ts";
import type { ProgressReport } from "./progress.ts";
import type { Move } from "./task.ts";
import { isUuid } from "./uuid7.ts";

/** Stores keep counts in 32 bits. */
export const countMax = 2_147_483_647;

/** A century: added to a time, it leaves a time. */
export const durationMsMax = 100 * 366 * 24 * 3_600_000;

/** The end of the year 9999, the last that is written with four digits. */
export const timeMax = 253_402_300_799_999;

export function checkCount(pointer: string, value: number, least = 0): void {
  checkInteger(pointer, value, least, countMax);
}

export function checkDuration(pointer: string, ms: number, least = 0): void {
  checkInteger(pointer, ms, least, durationMsMax);
}

export function checkTime(pointer: string, at: number): void {
  checkInteger(pointer, at, 0, timeMax);
}

export function checkInteger(pointer: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw badField(pointer, `must be an integer from ${least} to ${most}`);
}

export function checkId(pointer: string, id: string): void {
  if (!isUuid(id)) throw badField(pointer, "must be a UUID in lower case");
}

export function checkReport({ current, increment, total = null }: ProgressReport): void {
  if ((current === undefined) === (increment === undefined)) throw badField("/current", "or /increment: one of them");
  if (current !== undefined) checkInteger("/current", current, 0, Number.MAX_SAFE_INTEGER);
  if (increment !== undefined) checkInteger("/increment", increment, 0, Number.MAX_SAFE_INTEGER);
  if (total !== null) checkInteger("/total", total, 0, Number.MAX_SAFE_INTEGER);
}

/** The numbers that a move brings with it, and how long its texts are. */
export function checkMove(move: Move, textBytesMax: number): void {
  switch (move.type) {
    case "complete":
      checkBytes("result", move.result, textBytesMax);
      checkBytes("note", move.note, textBytesMax);
      break;
    case "fail":
      checkBytes("error", move.error.message, textBytesMax);
      checkBytes("error's details", move.error.details, textBytesMax);
      break;
    case "cancel":
      checkBytes("note", move.note, textBytesMax);
      break;
    case "release":
      checkBytes("checkpoint", move.checkpoint, textBytesMax);
      if (move.delayMs !== undefined) checkDuration("/delayMs", move.delayMs);
      break;
    case "defer":
      checkCount("/total", move.total);
      checkMessages(move, textBytesMax);
      break;
    case "progress":
      checkReport(move.progress);
      break;
  }
}

/** Each message counts once, so there cannot be more of them than the task waits for. */
function checkMessages({ total, messages = [] }: Extract<Move, { type: "defer" }>, textBytesMax: number): void {
  if (messages.length > total) throw badField("/total", `must be at least ${messages.length}, one for each message`);
  for (const [nth, { operation, payload }] of messages.entries()) {
    checkNameLength(`/messages/${nth}/operation`, operation);
    checkBytes("payload of a message", payload, textBytesMax);
  }
}

export function checkBytes(name: string, text: string | null | undefined, bytesMax: number): void {
  // A character has three bytes at most.
  if (text == null || text.length * 3 <= bytesMax) return;
  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > bytesMax)
    throw new Problem("payload-too-large", `The ${name} has ${bytes} bytes, at most ${bytesMax} fit`);
}
