// Refusals in the words of the fleet's document: what is a job, a payload or a result elsewhere has other names here.

import { blockJob } from "../../../core/block.ts";
import { Problem } from "../../../core/problem.ts";

const fields: readonly (readonly [RegExp, string])[] = [
  [/^\/payload(?=\/|$)/, "/parameters"],
  [/^\/result(?=\/|$)/, "/resultData"],
];
const allBlocks = blockJob("");

/** What is no problem stays what it is. */
export function inTheirWords(error: unknown): unknown {
  if (!(error instanceof Problem)) return error;
  const { code, message, retryAfterSeconds } = error;
  const errors = error.errors.map((each) => ({ ...each, pointer: theirPointer(each.pointer) }));
  const retryAfter = retryAfterSeconds !== null && { retryAfterSeconds };
  return new Problem(code, theirText(message), { errors, ...retryAfter, cause: error });
}

function theirPointer(pointer: string): string {
  return fields.reduce((text, [ours, theirs]) => text.replace(ours, theirs), pointer);
}

function theirText(text: string): string {
  return text
    .replaceAll(`Job '${allBlocks}`, "Function block '")
    .replaceAll(`'${allBlocks}`, "'")
    .replace(/ pending tasks; /, " pending jobs; ");
}
