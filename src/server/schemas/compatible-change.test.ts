// What is called a compatible change of a schema, held against the validator itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Json } from "../../core/checksum.ts";
import { specChange } from "../../core/spec-diff.ts";
import { seededRandom } from "../../testing/seeded-random.ts";

type Open = Readonly<Record<string, Json>>;

const text = { type: "string" };

test("whatever fits the old schema fits a new one that is called compatible", () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  const counts = { same: 0, compatible: 0, breaking: 0 };
  let checked = 0;
  for (let seed = 1; seed <= 4_000; seed += 1) {
    const random = chance(seed);
    const before = randomSchema(random, depthMax);
    const after = random.one([
      () => randomSchema(random, depthMax),
      () => changed(random, before),
      () => changed(random, before),
    ])();
    const { kind, differences } = specChange({ schema: before }, { schema: after });
    counts[kind] += 1;
    if (kind === "breaking") continue;
    const [old, fresh] = [ajv.compile(before as object), ajv.compile(after as object)];
    for (let n = 0; n < 25; n += 1) {
      // Names that only the new schema describes were not in use: this is what the comparison takes for granted.
      const payload = randomValue(random, 3, before);
      if (!old(payload)) continue;
      checked += 1;
      const told = { seed, before, after, payload, differences };
      assert.ok(fresh(payload), JSON.stringify(told));
    }
  }
  assert.ok(
    counts.compatible > 300 && counts.breaking > 300 && checked > 5_000,
    JSON.stringify({ ...counts, checked }),
  );
});

interface Chance {
  below(n: number): number;
  one<T>(from: readonly T[]): T;
  some<T>(from: readonly T[]): T[];
}

function chance(seed: number): Chance {
  const random = seededRandom(seed);
  const below = (n: number): number => Math.floor(random.fraction() * n);
  return {
    below,
    one: (from) => from[below(from.length)] as (typeof from)[number],
    some: (from) => from.filter(() => below(2) === 0),
  };
}

const names = ["a", "b", "c"];
const depthMax = 2;

function randomSchema(random: Chance, depth: number): Open {
  const kinds: (() => Open)[] = [
    () => ({}),
    () => ({ type: random.one(["string", "number", "integer", "boolean", "null"]) }),
    () => ({ type: random.some(["string", "number", "integer", "null"]).concat("boolean") }),
    () => ({ type: random.one(["number", "integer"]), ...numberWords(random) }),
    () => ({ ...numberWords(random) }),
    () => ({ type: "string", ...lengthWords(random, "Length") }),
    () => ({ enum: random.some(["x", "yy", 1, 2.5, null]).concat(3) }),
    () => ({ const: random.one(["x", 1, null]) }),
  ];
  if (depth > 0) {
    kinds.push(
      () => objectSchema(random, depth),
      () => objectSchema(random, depth),
      () => ({ type: "array", items: randomSchema(random, depth - 1), ...lengthWords(random, "Items") }),
      () => ({ type: "array", uniqueItems: random.one([true, false]) }),
      () => ({ anyOf: [randomSchema(random, depth - 1), randomSchema(random, depth - 1)] }),
      () => ({ not: randomSchema(random, 0) }),
    );
  }
  // References lead to the root, so they only stand there.
  if (depth === depthMax) kinds.push(() => ({ $ref: "#/$defs/d", $defs: { d: randomSchema(random, 0) } }));
  return random.one(kinds)();
}

function objectSchema(random: Chance, depth: number): Open {
  const described = random.some(names);
  return {
    ...(random.below(4) > 0 && { type: "object" }),
    properties: Object.fromEntries(described.map((name) => [name, randomSchema(random, depth - 1)])),
    ...(random.below(2) === 0 && { required: random.some(described) }),
    ...(random.below(2) === 0 && { additionalProperties: random.one<Json>([true, false, text, { type: "number" }]) }),
    ...(random.below(4) === 0 && lengthWords(random, "Properties")),
  };
}

function numberWords(random: Chance): Open {
  const words = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
  return Object.fromEntries(
    random.some(words).map((word) => [word, word === "multipleOf" ? 1 + random.below(3) : random.below(4)]),
  );
}

function lengthWords(random: Chance, of: string): Open {
  return Object.fromEntries(random.some([`min${of}`, `max${of}`]).map((word) => [word, random.below(4)]));
}

/** The same schema with one keyword less, more, or another. */
function changed(random: Chance, schema: Open): Open {
  const keys = Object.keys(schema);
  const key = keys.length === 0 ? "" : random.one(keys);
  const at = schema[key];
  const rest = Object.fromEntries(Object.entries(schema).filter(([each]) => each !== key && each !== "$ref"));
  return random.one<() => Open>([
    () => rest,
    () => ({ ...schema, ...("$ref" in schema ? {} : randomSchema(random, 0)) }),
    () => (typeof at === "number" ? { ...schema, [key]: Math.max(1, at + random.one([-1, 1])) } : schema),
    () => (key === "properties" ? { ...schema, properties: changedMember(random, at as Open) } : rest),
    () => (key === "items" ? { ...schema, items: changed(random, at as Open) } : rest),
    () => (Array.isArray(at) ? { ...schema, [key]: fewer(random, key, at) } : rest),
  ])();
}

/** All but `required` need something in them. */
function fewer(random: Chance, key: string, list: readonly Json[]): Json {
  const kept = random.some(list);
  return kept.length > 0 || key === "required" ? kept : list;
}

function changedMember(random: Chance, members: Open): Open {
  const keys = Object.keys(members);
  if (keys.length === 0) return { a: randomSchema(random, 0) };
  const key = random.one(keys);
  return { ...members, [key]: changed(random, members[key] as Open) };
}

function randomValue(random: Chance, depth: number, schema: Json): Json {
  const plain: Json[] = ["", "x", "yy", "xyz", "wxyz", 0, 1, 2, 3, 4, 2.5, -1, true, null];
  if (depth === 0 || random.below(3) === 0) return random.one(plain);
  const inside = (schema ?? {}) as { readonly properties?: Open; readonly items?: Json };
  if (random.below(3) === 0) {
    return Array.from({ length: random.below(4) }, () => randomValue(random, depth - 1, inside.items ?? {}));
  }
  const described = Object.keys(inside.properties ?? {});
  const members = [...random.some(described), ...random.some(["other"])];
  return Object.fromEntries(
    members.map((name) => [name, randomValue(random, depth - 1, inside.properties?.[name] ?? {})]),
  );
}
