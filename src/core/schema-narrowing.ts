// Where one JSON Schema may refuse what another took. Nothing found means: whatever fits `from` fits `to`, with one
// exception that is told as harmless: in an object that takes any property, one that becomes described. Strictly it may
// have been in use, undescribed, as something else; but it is how schemas grow.

import type { Json } from "./checksum.ts";
import { boundsNarrowed, enumNarrowed, typesNarrowed, typesOf, valuesNarrowed } from "./value-narrowing.ts";

export interface Narrowing {
  readonly pointer: string;
  /** In words, where `to` is the new one. */
  readonly tight: string;
  /** In words, where `from` is the new one. */
  readonly loose: string;
  readonly isHarmless: boolean;
}

export type Schema = Readonly<Record<string, Json>>;

/** Never throws. */
export function narrowings(from: Json, to: Json, pointer: string): readonly Narrowing[] {
  const walk: Walk = { from, to, steps: { left: stepsMax }, seen: new Set(), found: [] };
  compare(walk, from, to, { pointer, depth: 0 });
  return walk.found;
}

interface Walk {
  /** The roots, where references lead. */
  readonly from: Json;
  readonly to: Json;
  /** Shared by all that this walk tries. */
  readonly steps: { left: number };
  /** Pairs of references that were compared: what was found there is in the list. */
  readonly seen: Set<string>;
  readonly found: Narrowing[];
}

interface Place {
  readonly pointer: string;
  readonly depth: number;
}

/** What is looked at in all; a schema of the largest size is compared many times over within it. */
const stepsMax = 200_000;
const depthMax = 64;

function compare(walk: Walk, from: Json, to: Json, place: Place): void {
  walk.steps.left -= 1;
  const [was, now] = [from === true ? {} : from, to];
  if (walk.steps.left < 0 || place.depth > depthMax) note(walk, place.pointer, "is too large to be compared");
  else if (isAnything(to) || from === false || isSame(walk, from, to)) return;
  else if (to === false) note(walk, place.pointer, "nothing is allowed here any more", "something is allowed here now");
  else if (!isObject(was) || !isObject(now)) note(walk, place.pointer, notUnderstood);
  else if ("$ref" in was || "$ref" in now) compareReferences(walk, was, now, place);
  else compareSchemas(walk, was, now, place);
}

function compareSchemas(walk: Walk, from: Schema, to: Schema, place: Place): void {
  const strange = strangeKeyword(walk, from, to, place.depth);
  if (strange !== null) {
    note(walk, `${place.pointer}/${escaped(strange)}`, notUnderstood);
    return;
  }
  const add = (keyword: string, tight: string, loose: string): void =>
    note(walk, `${place.pointer}/${keyword}`, tight, loose);
  const types = typesOf(from);
  typesNarrowed(types, to, add);
  enumNarrowed(from, to, add);
  boundsNarrowed(from, to, types, add);
  valuesNarrowed(from, to, types, add);
  if (types.has("object")) compareObjects(walk, from, to, place);
  if (types.has("array")) compareItems(walk, from, to, place);
  compareChoices(walk, from, to, place);
  for (const keyword of opaque) compareOpaque(walk, keyword, from, to, place);
}

function compareObjects(walk: Walk, from: Schema, to: Schema, place: Place): void {
  const required = new Set(listOf(from["required"]));
  for (const name of listOf(to["required"]).filter((each) => !required.has(each))) {
    note(walk, `${place.pointer}/required`, `'${name}' is required now`, `'${name}' is not required any more`);
  }
  const [was, now] = [membersOf(from["properties"]), membersOf(to["properties"])];
  const [wasMore, nowMore] = [from["additionalProperties"] ?? true, to["additionalProperties"] ?? true];
  // A name may also be matched by a pattern, and then what is said of the others is not said of it.
  const wasUnnamed = "patternProperties" in from ? true : wasMore;
  for (const name of new Set([...Object.keys(was), ...Object.keys(now)])) {
    const at = `${place.pointer}/properties/${escaped(name)}`;
    const [mine, theirs] = [was[name], now[name]];
    if (mine === undefined && theirs !== false && isAnything(wasUnnamed)) {
      if (!isAnything(theirs as Json)) {
        note(walk, at, `property '${name}' is new`, `property '${name}' is not described any more`, true);
      }
    } else if (theirs === undefined && nowMore === false && mine !== false) {
      note(walk, at, `property '${name}' is not allowed any more`, `property '${name}' is new`);
    } else {
      compare(walk, mine ?? wasUnnamed, theirs ?? nowMore, { pointer: at, depth: place.depth + 1 });
    }
  }
  const others = `${place.pointer}/additionalProperties`;
  if (nowMore === false && wasMore !== false) {
    note(walk, others, "other properties are not allowed any more", "other properties are allowed now");
  } else compare(walk, wasMore, nowMore, { pointer: others, depth: place.depth + 1 });
}

function compareItems(walk: Walk, from: Schema, to: Schema, place: Place): void {
  const at = { pointer: `${place.pointer}/items`, depth: place.depth + 1 };
  const keywords = ["items", "prefixItems", "additionalItems"];
  const isPlain = [from, to].every((each) => !Array.isArray(each["items"]) && !("prefixItems" in each));
  if (isPlain) {
    compare(walk, from["items"] ?? true, to["items"] ?? true, at);
    return;
  }
  const isEqual = keywords.every((each) => isSame(walk, from[each] ?? null, to[each] ?? null));
  if (!isEqual && keywords.some((each) => each in to)) note(walk, at.pointer, notUnderstood);
}

/** Each way in which a value may be good has to be one of the new ways. */
function compareChoices(walk: Walk, from: Schema, to: Schema, place: Place): void {
  const choices = to["anyOf"];
  if (!Array.isArray(choices) || isSame(walk, from["anyOf"] ?? null, choices)) return;
  const ways: readonly Json[] = Array.isArray(from["anyOf"]) ? from["anyOf"] : [from];
  const isCovered = ways.every((way) =>
    choices.some((choice: Json) => {
      const attempt = { ...walk, seen: new Set(walk.seen), found: [] };
      compare(attempt, way, choice, { pointer: "", depth: place.depth + 1 });
      return attempt.found.length === 0;
    }),
  );
  if (!isCovered)
    note(walk, `${place.pointer}/anyOf`, "a choice is gone, or takes less", "a choice is new, or takes more");
}

function compareOpaque(walk: Walk, keyword: string, from: Schema, to: Schema, { pointer }: Place): void {
  if (!(keyword in to) || (keyword in from && isSame(walk, from[keyword] as Json, to[keyword] as Json))) return;
  const tight = keyword in from ? `has changed, in a way that is ${notUnderstood.slice(3)}` : "is new";
  note(walk, `${pointer}/${keyword}`, tight, keyword in from ? tight : "is gone");
}

/** Only local ones, standing alone, are followed; two that lead to each other again were compared already. */
function compareReferences(walk: Walk, from: Schema, to: Schema, place: Place): void {
  if ("$ref" in from && "$ref" in to) {
    const pair = JSON.stringify([from["$ref"], to["$ref"]]);
    if (walk.seen.has(pair)) return;
    walk.seen.add(pair);
  }
  const [was, now] = [target(from, walk.from), target(to, walk.to)];
  if (was === undefined || now === undefined) note(walk, `${place.pointer}/$ref`, notUnderstood);
  else compare(walk, was, now, { ...place, depth: place.depth + 1 });
}

function target(schema: Schema, root: Json): Json | undefined {
  const { $ref: reference } = schema;
  if (reference === undefined) return schema;
  const isAlone = Object.keys(schema).every((key) => key === "$ref" || aside.has(key));
  if (!isAlone || typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  let found: Json | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  return found;
}

const notUnderstood = "is not understood, and so may refuse what was good";

/** What nothing is checked by, and what only counts where a reference leads to it. */
const aside = new Set([
  ...["title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly"],
  ...["$defs", "definitions"],
]);

const numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const counts = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];

/** What a keyword has to look like to be understood. */
const shapes: Readonly<Record<string, (value: Json) => boolean>> = {
  type: (value) => typeof value === "string" || isTexts(value),
  enum: (value) => Array.isArray(value) && isShallow(value),
  const: (value) => isShallow(value),
  ...Object.fromEntries([...numbers, ...counts].map((key) => [key, (value: Json) => typeof value === "number"])),
  pattern: (value) => typeof value === "string",
  format: (value) => typeof value === "string",
  uniqueItems: (value) => typeof value === "boolean",
  required: isTexts,
  properties: isObject,
  patternProperties: isObject,
  additionalProperties: isSchema,
  items: (value) => isSchema(value) || Array.isArray(value),
  prefixItems: Array.isArray,
  additionalItems: isSchema,
  anyOf: Array.isArray,
};

/** Taken as a whole: the same on both sides, or gone from the wider one. Each stands for itself. */
const opaque = ["allOf", "oneOf", "not", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies"];

/** The first keyword that keeps the two from being compared at all. */
function strangeKeyword(walk: Walk, from: Schema, to: Schema, depth: number): string | null {
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (aside.has(key) || opaque.includes(key) || (key === "$id" && depth === 0)) continue;
    const isEqual = isSame(walk, from[key] ?? null, to[key] ?? null);
    const shape = Object.hasOwn(shapes, key) ? shapes[key] : undefined;
    const fits = [from, to].every((each) => !(key in each) || shape?.(each[key] as Json) === true);
    if (shape === undefined ? !isEqual || key.startsWith("unevaluated") || key === "$id" : !fits) return key;
    if (key === "patternProperties" && !isEqual) return key;
  }
  return null;
}

function note(walk: Walk, pointer: string, tight: string, loose = tight, isHarmless = false): void {
  walk.found.push({ pointer, tight, loose, isHarmless });
}

/** Equal, and meaning the same: what a reference in it leads to may have changed. */
function isSame(walk: Walk, a: Json, b: Json): boolean {
  return sameJson(a, b, walk.steps) && (!hasReference(a) || sameJson(walk.from, walk.to, walk.steps));
}

function hasReference(value: Json, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth > sameDepthMax) return true;
  return Object.entries(value).some(
    ([key, each]) => /^\$(ref|dynamicRef|recursiveRef)$/.test(key) || hasReference(each, depth + 1),
  );
}

const sameDepthMax = 512;

/** Whatever the order of keys. What is nested too deep to look at, or takes too many steps, is taken for another. */
export function sameJson(a: Json, b: Json, steps = { left: Number.POSITIVE_INFINITY }, depth = 0): boolean {
  steps.left -= 1;
  if (a === b) return true;
  if (steps.left < 0) return false;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null || depth > sameDepthMax) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Schema, b as Schema];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key] as Json, right[key] as Json, steps, depth + 1))
  );
}

function isAnything(schema: Json | undefined): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).every((key) => aside.has(key)));
}

function isSchema(value: Json): boolean {
  return typeof value === "boolean" || isObject(value);
}

function isObject(value: Json | undefined): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isShallow(value: Json, depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth < depthMax && Object.values(value).every((each) => isShallow(each, depth + 1));
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function listOf(value: Json | undefined): readonly string[] {
  return (value ?? []) as readonly string[];
}

function membersOf(value: Json | undefined): Schema {
  return Object.assign(Object.create(null), value ?? {}) as Schema;
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
