// The language in which people ask for tasks: `job:lab:*:Rotate state:failed -error~timeout age<1h`. Terms are joined by
// "and"; a comma is an "or" within one; a minus before a term turns it round. Here a text becomes terms. What they mean for a
// task is in task-pick.ts, once names of jobs and workers have become lanes and ids.

import { badField } from "./problem.ts";
import { type Cursor, cursorOn, expected, readValue, readValues, type Spelled } from "./task-query-text.ts";
import { durationOf, idOf, idPrefixOf, numberOf, stagesOf } from "./task-query-values.ts";
import type { Stage } from "./task-row.ts";
import { isUuid } from "./uuid7.ts";

export const queryLengthMax = 2_000;
const termsMax = 32;

const listFields = ["room", "submitter", "worker", "code", "fingerprint"] as const;
const patternFields = ["job", "queue"] as const;
const numberFields = ["attempt", "losses", "priority"] as const;
const timeFields = ["age", "ran", "waited", "ended"] as const;

type ListField = (typeof listFields)[number];
type PatternField = (typeof patternFields)[number];
type NumberField = (typeof numberFields)[number];
type TimeField = (typeof timeFields)[number];

/** What a term is about. Bounds are inclusive; those of times are not, and null where there is none. */
export type Subject =
  | { readonly field: PatternField; readonly patterns: readonly string[] }
  | { readonly field: ListField; readonly values: readonly string[] }
  | { readonly field: "state"; readonly stages: readonly Stage[] }
  | { readonly field: "parent" | "retry_of"; readonly ids: readonly string[] }
  | { readonly field: "id"; readonly prefixes: readonly string[] }
  | { readonly field: "error" | "word"; readonly text: string }
  | { readonly field: "input" | "output"; readonly path: readonly string[]; readonly value: string }
  | { readonly field: NumberField; readonly least: number | null; readonly most: number | null }
  | { readonly field: TimeField; readonly overMs: number | null; readonly underMs: number | null };

export type Term = Subject & { readonly not: boolean };

const fields = [
  ...[...patternFields, "state", ...listFields, "parent", "retry_of", "id"].map((field) => `${field}:`),
  ...["error~", "input.path=", "output.path="],
  ...[...numberFields, ...timeFields].map((field) => `${field}>`),
];

/** Throws invalid-request, which names `pointer` and says at which character what was expected. */
export function parseTaskQuery(text: string, pointer: string): readonly Term[] {
  if (text.length > queryLengthMax) throw badField(pointer, `must have at most ${queryLengthMax} characters`);
  const cursor = cursorOn(text, pointer);
  const terms: Term[] = [];
  for (cursor.skip(/\s*/y); !cursor.atEnd(); cursor.skip(/\s*/y)) {
    if (terms.length === termsMax) throw expected(cursor, `at most ${termsMax} terms`);
    const not = cursor.take(/-/y) !== null;
    terms.push({ ...subject(cursor), not });
    if (!cursor.atEnd() && cursor.take(/\s+/y) === null) throw expected(cursor, "a space before the next term");
  }
  return terms;
}

function subject(cursor: Cursor): Subject {
  const value = cursor.take(/(input|output)(?=\.)/y);
  if (value !== null) return jsonTerm(cursor, value as "input" | "output");
  const from = cursor.at();
  const start = cursor.take(/([a-z_]+)(?=:|~|=|<|>)/y);
  if (start === null) return wordTerm(cursor);
  return fieldTerm(cursor, start, from);
}

function fieldTerm(cursor: Cursor, field: string, from: number): Subject {
  if (isOneOf(patternFields, field)) return { field, patterns: texts(cursor) };
  if (isOneOf(listFields, field)) return { field, values: texts(cursor) };
  if (isOneOf(numberFields, field)) return { field, ...numberBounds(cursor) };
  if (isOneOf(timeFields, field)) return { field, ...timeBounds(cursor) };
  switch (field) {
    case "state":
      return { field, stages: [...new Set(list(cursor).flatMap((word) => stagesOf(cursor, word)))] };
    case "parent":
    case "retry_of":
      return { field, ids: list(cursor).map((word) => idOf(cursor, word)) };
    case "id":
      return { field, prefixes: list(cursor).map((word) => idPrefixOf(cursor, word)) };
    case "error":
      if (cursor.take(/~/y) === null) throw expected(cursor, '"~"');
      return { field, text: readValue(cursor).text };
    default:
      cursor.back(from);
      throw expected(cursor, `one of ${fields.join(" ")} or, to look for these words, quotes around them`);
  }
}

/** `input.path.to=value`; a part of the path that has dots or spaces is quoted. */
function jsonTerm(cursor: Cursor, field: "input" | "output"): Subject {
  const path: string[] = [];
  while (cursor.take(/\./y) !== null) {
    const quoted = cursor.take(/"(?:[^"\\]|\\["\\])+"/y);
    const name = quoted?.slice(1, -1).replaceAll(/\\(["\\])/g, "$1") ?? cursor.take(/[^\s.:=~<>"]+/y);
    if (name === null) throw expected(cursor, `a name, as in ${field}.user.id=7`);
    path.push(name);
  }
  if (cursor.take(/=/y) === null) throw expected(cursor, '"=" or "."');
  return { field, path, value: readValue(cursor).text };
}

function wordTerm(cursor: Cursor): Subject {
  const { text, isQuoted } = readValue(cursor);
  const lower = text.toLowerCase();
  return isUuid(lower) && !isQuoted ? { field: "id", prefixes: [lower] } : { field: "word", text };
}

function numberBounds(cursor: Cursor): { readonly least: number | null; readonly most: number | null } {
  const sign = cursor.take(/>=|<=|[><=:]/y);
  if (sign === null) throw expected(cursor, "one of > >= < <= =");
  const value = numberOf(cursor, readValue(cursor));
  if (sign === ">=" || sign === ">") return { least: sign === ">" ? value + 1 : value, most: null };
  if (sign === "<=" || sign === "<") return { least: null, most: sign === "<" ? value - 1 : value };
  return { least: value, most: value };
}

function timeBounds(cursor: Cursor): { readonly overMs: number | null; readonly underMs: number | null } {
  const sign = cursor.take(/[><]/y);
  if (sign === null) throw expected(cursor, "> or <");
  const ms = durationOf(cursor, readValue(cursor));
  return sign === ">" ? { overMs: ms, underMs: null } : { overMs: null, underMs: ms };
}

function list(cursor: Cursor): readonly Spelled[] {
  if (cursor.take(/:/y) === null) throw expected(cursor, '":"');
  return readValues(cursor);
}

function texts(cursor: Cursor): readonly string[] {
  return [...new Set(list(cursor).map(({ text }) => text))];
}

function isOneOf<const T extends readonly string[]>(words: T, word: string): word is T[number] {
  return words.includes(word);
}
