import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "./checksum.ts";
import { type SpecChange, specChange } from "./spec-diff.ts";

type Open = Readonly<Record<string, Json>>;

const text = { type: "string" };

function object(properties: Open, more: Open = {}): Open {
  return { type: "object", properties, ...more };
}

/** Each line: what a payload's schema was, what it is, what that means, and where. */
const inputs: readonly (readonly [Json, Json, SpecChange["kind"], string])[] = [
  [object({ a: text }), object({ a: text }), "same", ""],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, "same", ""],
  [object({ a: text }), object({ a: text }, { title: "A" }), "compatible", ""],
  [object({ a: text }), object({ a: text, b: text }), "compatible", "/schema/properties/b"],
  [object({ a: text }), object({ a: text, b: false }), "breaking", "/schema/properties/b"],
  [object({ a: text }), object({ a: text, b: text }, { required: ["b"] }), "breaking", "/schema/required"],
  [object({ a: text }, { required: ["a"] }), object({ a: text }), "compatible", "/schema/required"],
  [object({ a: text }), object({}), "compatible", "/schema/properties/a"],
  [object({ a: text }), object({}, { additionalProperties: false }), "breaking", "/schema/properties/a"],
  [object({}, { additionalProperties: false }), object({}), "compatible", "/schema/additionalProperties"],
  [
    object({ a: text }, { additionalProperties: false }),
    object({ a: text, b: text }, { additionalProperties: false }),
    ...(["compatible", "/schema/properties/b"] as const),
  ],
  [
    object({}, { additionalProperties: { type: "number" } }),
    object({ a: text }),
    "breaking",
    "/schema/properties/a/type",
  ],
  [{ type: "integer" }, { type: "number" }, "compatible", "/schema/type"],
  [{ type: "number" }, { type: "integer" }, "breaking", "/schema/type"],
  [{ type: ["string", "null"] }, { type: "string" }, "breaking", "/schema/type"],
  [{ enum: ["a", "b"] }, { enum: ["a"] }, "breaking", "/schema/enum"],
  [{ enum: ["a"] }, { enum: ["b", "a"] }, "compatible", "/schema/enum"],
  [{ const: { x: 1, y: 2 } }, { enum: [{ y: 2, x: 1 }, 3] }, "compatible", "/schema/const"],
  [text, { enum: ["a"] }, "breaking", "/schema/enum"],
  [{ type: "number", minimum: 1 }, { type: "number", minimum: 2 }, "breaking", "/schema/minimum"],
  [{ type: "number", minimum: 1 }, { type: "number", exclusiveMinimum: 1 }, "breaking", "/schema/exclusiveMinimum"],
  [{ type: "number", exclusiveMinimum: 1 }, { type: "number", minimum: 1 }, "compatible", "/schema/exclusiveMinimum"],
  [{ type: "number", maximum: 9 }, { type: "number" }, "compatible", "/schema/maximum"],
  [{ type: "string", maxLength: 9 }, { type: "string", maxLength: 8 }, "breaking", "/schema/maxLength"],
  [{ type: "string" }, { type: "string", minimum: 8 }, "compatible", ""],
  [{ type: "string" }, { type: "string", pattern: "^a" }, "breaking", "/schema/pattern"],
  [{ type: "integer", multipleOf: 4 }, { type: "integer", multipleOf: 2 }, "compatible", "/schema/multipleOf"],
  [{ type: "integer", multipleOf: 2 }, { type: "integer", multipleOf: 4 }, "breaking", "/schema/multipleOf"],
  [{ type: "array" }, { type: "array", items: text }, "breaking", "/schema/items/type"],
  [
    { type: "array", items: { type: "integer" } },
    { type: "array", items: { type: "number" } },
    "compatible",
    "/schema/items/type",
  ],
  [text, { anyOf: [text, { type: "null" }] }, "compatible", "/schema/type"],
  [{ anyOf: [text, { type: "null" }] }, text, "breaking", "/schema/type"],
  [{ anyOf: [text, { type: "null" }] }, { anyOf: [{ type: "null" }] }, "breaking", "/schema/anyOf"],
  [{ oneOf: [text] }, { oneOf: [text, { type: "null" }] }, "breaking", "/schema/oneOf"],
  [{ not: text }, {}, "compatible", "/schema/not"],
  [{ wonder: 1 }, { wonder: 2 }, "breaking", "/schema/wonder"],
  [{ $ref: "#/$defs/a", $defs: { a: text } }, text, "compatible", ""],
  [
    { $ref: "#/$defs/a", $defs: { a: text } },
    { $ref: "#/$defs/a", $defs: { a: { const: "x" } } },
    "breaking",
    "/schema/type",
  ],
  [{ $ref: "https://example.org/a" }, { $ref: "https://example.org/b" }, "breaking", "/schema/$ref"],
];

for (const [before, after, kind, pointer] of inputs) {
  test(`from ${JSON.stringify(before)} to ${JSON.stringify(after)} is ${kind}`, () => {
    const change = specChange({ schema: before }, { schema: after });
    assert.equal(change.kind, kind, JSON.stringify(change));
    if (kind === "same") assert.deepEqual(change.differences, []);
    else if (pointer === "/schema/type" && kind === "breaking") assert.ok(change.differences.length > 0);
    else
      assert.ok(
        change.differences.some((each) => each.pointer === pointer),
        JSON.stringify(change),
      );
  });
}

test("a result may promise more than before, and no less", () => {
  const schema = {};
  const change = (was: Json | null, now: Json | null) =>
    specChange({ schema, output: was }, { schema, output: now }).kind;
  assert.equal(change(null, text), "compatible");
  assert.equal(change(text, null), "breaking");
  assert.equal(change({ type: "number" }, { type: "integer" }), "compatible");
  assert.equal(change({ type: "integer" }, { type: "number" }), "breaking");
  assert.equal(change(object({ a: text }, { required: ["a"] }), object({ a: text })), "breaking");
  assert.equal(change(object({ a: text }), object({ a: text }, { required: ["a"] })), "compatible");
});

test("what has changed is told in words that name the old and the new", () => {
  const before = { schema: object({ n: { type: "number", minimum: 1 } }, { required: ["n"] }) };
  const after = { schema: object({ n: { type: "number", minimum: 2 }, m: text }, { required: ["m"] }) };
  assert.deepEqual(specChange(before, after).differences, [
    { pointer: "/schema/required", kind: "breaking", detail: "'m' is required now" },
    { pointer: "/schema/properties/n/minimum", kind: "breaking", detail: "is 2 now, was 1" },
    { pointer: "/schema/properties/m", kind: "compatible", detail: "property 'm' is new" },
  ]);
});

test("no schema is too strange: it is breaking, and said not to be understood", () => {
  const looped: Json = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } };
  let deep: Json = text;
  for (let n = 0; n < 5_000; n += 1) deep = { items: deep };
  const strange: Json[] = [
    ...[null, 7, "x", [], false, { type: 7 }, { required: "x" }, { properties: [] }, { enum: {} }, { minimum: "1" }],
    ...[
      { anyOf: 3 },
      { $ref: 3 },
      { $ref: "#/nowhere" },
      looped,
      deep,
      { enum: [deep] },
      { __proto__: null, items: 4 },
    ],
    { unevaluatedProperties: false, properties: { toString: { constructor: 1 } } },
  ];
  for (const each of strange) {
    const change = specChange({ schema: {} }, { schema: each });
    assert.equal(change.kind, "breaking", JSON.stringify(change));
    assert.equal(
      specChange({ schema: each }, { schema: { oneOf: [] } }).kind,
      each === false ? "compatible" : "breaking",
    );
  }
  const tree = (leaf: Json): Json => ({
    $defs: Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        n === 39 ? leaf : { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { items: { $ref: `#/$defs/d${n + 1}` } }] },
      ]),
    ),
    $ref: "#/$defs/d0",
  });
  assert.equal(specChange({ schema: tree(text) }, { schema: tree({ type: "number" }) }).kind, "breaking");
});
