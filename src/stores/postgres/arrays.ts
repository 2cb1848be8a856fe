// Array literals for many values at once. The driver's own encoding asks every value what it is; here the caller knows.

import { isUuid } from "../../core/uuid7.ts";
import { storable } from "./text.ts";

/** Ids, numbers and truth values: nothing in them needs quotes. */
export function plainArray(values: readonly (string | number | boolean | null)[]): string {
  let literal = "";
  for (const value of values) literal += `,${value ?? "NULL"}`;
  return `{${literal.slice(1)}}`;
}

export function textArray(values: readonly (string | null)[]): string {
  let literal = "";
  for (const value of values) literal += value === null ? ",NULL" : `,"${escaped(storable(value))}"`;
  return `{${literal.slice(1)}}`;
}

/** For a column beside others in one unnest: where every value is null, so may be the column. */
export function sparseTextArray(values: readonly (string | null)[]): string | null {
  return values.every((value) => value === null) ? null : textArray(values);
}

/** An array of rows, each made of fields and commas; see `plainField` and `textField`. */
export function recordArray(records: readonly string[]): string {
  return records.length === 0 ? "{}" : `{"(${records.join(')","(')})"}`;
}

export function plainField(value: string | number | null): string | number {
  return value ?? "";
}

/** A text inside a row inside an array: quoted once for the row and once more for the array. */
export function textField(value: string | null): string {
  if (value === null) return "";
  const text = storable(value);
  const inRow = special.test(text) ? text.replaceAll("\\", "\\\\\\\\").replaceAll('"', '\\\\\\"') : text;
  return `\\"${inRow}\\"`;
}

const special = /["\\]/;

function escaped(text: string): string {
  return special.test(text) ? text.replaceAll("\\", "\\\\").replaceAll('"', '\\"') : text;
}

/** Many rows as one JSON text, for json_to_recordset: where there are many columns and few rows. */
export function jsonRows(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === "string" ? storable(value) : value));
}

/** Whether a text can be the id of a task at all; anything else names no task. */
export const isTaskId = isUuid;

/** The ids among these texts, each once, in the order in which every transaction locks them. */
export function sortedIds(texts: Iterable<string>): string[] {
  return [...new Set(texts)].filter(isTaskId).sort();
}

export function sortedTexts(texts: Iterable<string>): string[] {
  return [...new Set(texts)].sort();
}
