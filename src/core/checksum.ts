// A spec's checksum: SHA-256 over its RFC 8785 canonical form, so that key order and number spelling do not matter.
// It covers the schemas alone: policy, queue and push settings change without a deploy.

import { createHash } from "node:crypto";
import { Problem } from "./problem.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const jsonDepthMax = 256;

export function specChecksum(spec: { readonly schema: Json; readonly output?: Json | undefined }): string {
  const covered = spec.output === undefined ? { schema: spec.schema } : { schema: spec.schema, output: spec.output };
  return `sha256:${createHash("sha256").update(canonicalJson(covered), "utf8").digest("hex")}`;
}

/** RFC 8785: keys sorted by UTF-16 code units, ECMAScript numbers and strings, no white space. */
export function canonicalJson(value: Json, depth = 0): string {
  if (depth > jsonDepthMax) throw new Problem("invalid-request", `JSON is nested deeper than ${jsonDepthMax}`);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") return canonicalNumber(value);
  if (typeof value === "string") return canonicalString(value);
  if (isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
  const members = Object.keys(value)
    .sort()
    .map((key) => `${canonicalString(key)}:${canonicalJson(value[key] as Json, depth + 1)}`);
  return `{${members.join(",")}}`;
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new Problem("invalid-request", "JSON has no number that is not finite");
  return JSON.stringify(value);
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new Problem("invalid-request", "JSON text has a lone surrogate");
  return JSON.stringify(value);
}

function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
