// Providers: workers that answer questions. A question is a flat map of texts, and is known by its hash, which the
// documents' clients compute as well: SHA-256 over compact JSON as Python writes it, keys in order of code points and
// all but printable ASCII as \uXXXX.

import { createHash } from "node:crypto";
import { globalRoom, type JobName, nameParts } from "./name.ts";
import { badField, Problem } from "./problem.ts";

export function parseProviderName(text: string): JobName {
  const parts = nameParts(text);
  if (parts !== null) return parts;
  throw new Problem("provider-not-found", `Invalid provider name format: '${text}' is not room:category:name`);
}

/** Null allows any. None may hold a colon: by its full name such a provider would never be found again. */
export function checkProviderCategory(category: string, allowed: readonly string[] | null): void {
  if (category.includes(":")) throw new Problem("invalid-category", `Category '${category}' holds a ':'`);
  if (allowed === null || allowed.includes(category)) return;
  throw new Problem("invalid-category", `Category '${category}' is not one of ${allowed.join(", ")}`);
}

/** A room sees its own providers and those of @global, and @global its own alone. */
export function isProviderVisible(providerRoom: string, room: string): boolean {
  return providerRoom === room || providerRoom === globalRoom;
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const mediaType = new RegExp(`^${token}/${token}( *; *${token}=(${token}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`);
const contentTypeMax = 255;

/** It will be a header of the answers, so it has to be able to. */
export function checkContentType(pointer: string, type: string): void {
  if (type.length > contentTypeMax) throw badField(pointer, `is longer than ${contentTypeMax} characters`);
  if (!mediaType.test(type)) throw badField(pointer, "is not a media type, such as text/plain");
}

export interface ProviderQuestion {
  /** The JSON that was hashed. */
  readonly text: string;
  readonly hash: string;
}

export function providerQuestion(params: ReadonlyMap<string, string>): ProviderQuestion {
  const members = [...params]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([key, value]) => `${asciiText(key)}:${asciiText(value)}`);
  const text = `{${members.join(",")}}`;
  return { text, hash: createHash("sha256").update(text, "latin1").digest("hex") };
}

function asciiText(text: string): string {
  return JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

/** Code units order the same, but for surrogates: what they stand for comes after all other units. */
function compareCodePoints(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at += 1) {
    const [left, right] = [a.codePointAt(at) as number, b.codePointAt(at) as number];
    if (left !== right) return left - right;
  }
  return a.length - b.length;
}
