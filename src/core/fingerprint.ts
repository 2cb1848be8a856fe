// Failures that are the same but for their details: ids, numbers, what is quoted, and paths do not tell one fault from
// another, the words around them do.

import { createHash } from "node:crypto";
import type { Failure } from "./task-row.ts";

/** Whatever follows is mostly the stack. */
const charsMax = 2_000;

/** In this order: what is quoted may hold anything, an id holds numbers. */
const details: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, "<id>"],
  // An apostrophe within a word quotes nothing.
  [/"[^"\n]*"|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)|“[^”\n]*”|‘[^’\n]*’/g, "<text>"],
  [/(?<![\w<])(?:[a-z]:)?(?:[\\/][\w.@+~%-]+)+[\\/]?/gi, "<path>"],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)[0-9a-f]{8,}\b/gi, "<number>"],
  [/\d+(?:[.,]\d+)*/g, "<number>"],
  [/\s+/g, " "],
];

/** The text of an error without what differs from one time to the next. */
export function errorPattern(text: string): string {
  return details.reduce((rest, [detail, word]) => rest.replaceAll(detail, word), text.slice(0, charsMax)).trim();
}

/** 16 hexadecimal digits, the same for failures of one job that are alike. */
export function fingerprint(job: string, { code, message }: Pick<Failure, "code" | "message">): string {
  const said = JSON.stringify([job, code, errorPattern(message)]);
  return createHash("sha256").update(said).digest("hex").slice(0, 16);
}

const form = /^[0-9a-f]{16}$/;

export function isFingerprint(text: string): boolean {
  return form.test(text);
}
