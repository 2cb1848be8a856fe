// Reading JSON from strangers. Whatever JSON.parse, the stores or a later JSON.stringify would stumble over is refused
// here, as a problem that says where: text that is not JSON, nesting too deep, numbers that become Infinity, NUL, and
// halves of surrogate pairs. What passes can be printed, stored and compared without a second thought.

import { badField, Problem } from "../core/problem.ts";
import { placeIn } from "./json-place.ts";
import { jsonPointer } from "./json-pointer.ts";
import { findOffence, type Offence } from "./json-scan.ts";

export interface JsonLimits {
  /** Of arrays and objects within each other; a scalar has depth 0, `[]` has 1. */
  readonly depthMax: number;
}

export function readJson(text: string, { depthMax }: JsonLimits): unknown {
  const offence = findOffence(text, depthMax);
  if (offence !== undefined) throw offenceProblem(text, offence);
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = placeIn(text);
    throw faultProblem(text, place.kind === "fault" ? place.index : text.length);
  }
}

export function readJsonBytes(bytes: Uint8Array, limits: JsonLimits): unknown {
  return readJson(jsonTextOf(bytes), limits);
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The text of a body. Bytes that are not UTF-8 are refused; a byte order mark at the start is dropped, as RFC 8259 lets
 * a reader do, because some tools cannot be told to leave it out.
 */
export function jsonTextOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    const detail = "is not UTF-8";
    throw new Problem("invalid-request", `The request ${detail}`, { errors: [{ pointer: "", detail }], cause });
  }
}

function offenceProblem(text: string, { index, says }: Offence): Problem {
  const place = placeIn(text, index);
  if (place.kind === "fault") return faultProblem(text, place.index);
  return badField(jsonPointer(place.path), place.kind === "key" ? `has a key that ${says}` : says);
}

function faultProblem(text: string, index: number): Problem {
  if (index >= text.length) return badField("", "is not JSON: it ends too early");
  let [line, lineEnd] = [1, -1];
  for (let at = text.indexOf("\n"); at >= 0 && at < index; at = text.indexOf("\n", at + 1)) {
    line += 1;
    lineEnd = at;
  }
  return badField("", `is not JSON: line ${line}, column ${index - lineEnd} is unexpected`);
}
