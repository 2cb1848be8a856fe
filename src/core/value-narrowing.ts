// The keywords of a JSON Schema that speak of a value by itself, without looking into it.

import type { Json } from "./checksum.ts";

type Schema = Readonly<Record<string, Json>>;

/** `tight` and `loose` as in schema-narrowing.ts. */
export type Add = (keyword: string, tight: string, loose: string) => void;

const allTypes = ["null", "boolean", "object", "array", "number", "integer", "string"] as const;

/** What a value that fits may be; `integer` stands beside `number`. */
export function typesOf(schema: Schema): ReadonlySet<string> {
  const { type } = schema;
  if (type !== undefined) return withIntegers(Array.isArray(type) ? type : [type as string]);
  const values = finiteValues(schema);
  return values === null ? new Set(allTypes) : withIntegers(values.map(typeOf));
}

function withIntegers(types: readonly string[]): ReadonlySet<string> {
  return new Set(types.includes("number") ? [...types, "integer"] : types);
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

export function typesNarrowed(types: ReadonlySet<string>, to: Schema, add: Add): void {
  if (to["type"] === undefined) return;
  const allowed = typesOf({ type: to["type"] });
  const gone = [...types].filter((each) => !allowed.has(each));
  const told = gone.filter((each) => each !== "integer" || !gone.includes("number")).join(", ");
  if (gone.length > 0) add("type", `takes no ${told} any more`, `takes ${told} now`);
}

/** A superset of what fits is enough here; null where there is no such list. */
function finiteValues(schema: Schema): readonly Json[] | null {
  if ("const" in schema) return [schema["const"] as Json];
  return Array.isArray(schema["enum"]) ? schema["enum"] : null;
}

export function enumNarrowed(from: Schema, to: Schema, add: Add): void {
  const values = finiteValues(from);
  for (const keyword of ["enum", "const"]) {
    if (!(keyword in to)) continue;
    const allowed = new Set(finiteValues({ [keyword]: to[keyword] as Json })?.map(valueText));
    if (values === null) add(keyword, `only takes ${listText([...allowed])} now`, "takes other values too now");
    else {
      const gone = values.map(valueText).filter((each) => !allowed.has(each));
      if (gone.length > 0) add(keyword, `takes no ${listText(gone)} any more`, `takes ${listText(gone)} now`);
    }
  }
}

/** With the keys of objects in order, so that equal values have equal texts. */
function valueText(value: Json): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const listedMax = 5;

function listText(values: readonly string[]): string {
  const told = values.slice(0, listedMax).map((each) => (each.length > 40 ? `${each.slice(0, 39)}…` : each));
  const more = values.length - told.length;
  return told.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

const bounds = [
  { type: "string", min: "minLength", max: "maxLength" },
  { type: "array", min: "minItems", max: "maxItems" },
  { type: "object", min: "minProperties", max: "maxProperties" },
] as const;

export function boundsNarrowed(from: Schema, to: Schema, types: ReadonlySet<string>, add: Add): void {
  for (const { type, min, max } of bounds) {
    if (!types.has(type)) continue;
    if (numberAt(to, min, 0) > numberAt(from, min, 0)) change(min, from, to, add);
    if (numberAt(to, max, Infinity) < numberAt(from, max, Infinity)) change(max, from, to, add);
  }
  if (!types.has("integer")) return;
  for (const [keyword, sign] of [
    ["minimum", 1],
    ["maximum", -1],
  ] as const) {
    const exclusive = sign === 1 ? "exclusiveMinimum" : "exclusiveMaximum";
    const was = Math.max(
      sign * numberAt(from, keyword, -sign * Infinity),
      sign * numberAt(from, exclusive, -sign * Infinity),
    );
    const isWasOpen = sign * numberAt(from, exclusive, -sign * Infinity) === was && was !== -Infinity;
    const closed = sign * numberAt(to, keyword, -sign * Infinity);
    const open = sign * numberAt(to, exclusive, -sign * Infinity);
    if (closed > was) change(keyword, from, to, add);
    if (open > was || (open === was && open !== -Infinity && !isWasOpen)) change(exclusive, from, to, add);
  }
}

/** Keywords that have to be the same, or to be gone. */
export function valuesNarrowed(from: Schema, to: Schema, types: ReadonlySet<string>, add: Add): void {
  for (const keyword of ["pattern", "format"]) {
    // A format may be one of numbers.
    const isMeant = keyword === "format" || types.has("string");
    if (isMeant && keyword in to && from[keyword] !== to[keyword]) change(keyword, from, to, add);
  }
  if (types.has("array") && to["uniqueItems"] === true && from["uniqueItems"] !== true) {
    change("uniqueItems", from, to, add);
  }
  if (types.has("integer") && "multipleOf" in to && !isFactor(to["multipleOf"], from["multipleOf"])) {
    change("multipleOf", from, to, add);
  }
}

/** Fractions are left aside: they are not what they seem. */
function isFactor(factor: Json | undefined, of: Json | undefined): boolean {
  if (factor === of) return true;
  return Number.isInteger(factor) && Number.isInteger(of) && Number(of) % Number(factor) === 0;
}

function numberAt(schema: Schema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}

function change(keyword: string, from: Schema, to: Schema, add: Add): void {
  add(keyword, said(to[keyword], from[keyword]), said(from[keyword], to[keyword]));
}

function said(now: Json | undefined, was: Json | undefined): string {
  return `is ${wordOf(now)} now, was ${wordOf(was)}`;
}

function wordOf(value: Json | undefined): string {
  return value === undefined ? "not there" : listText([JSON.stringify(value)]);
}
