import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { ajvSchemas } from "./ajv-schemas.ts";

const schemas = ajvSchemas();

function errors(schema: unknown, payload: unknown): string[] {
  const validate = schemas.validator(JSON.stringify(schema));
  return validate(payload).map(({ pointer, detail }) => `${pointer}: ${detail}`);
}

function refused(schemaText: string): string[] {
  try {
    schemas.check(schemaText);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.status, 422);
    return error.errors.map(({ pointer }) => pointer);
  }
  assert.fail("the schema was accepted");
}

const draft07 = "http://json-schema.org/draft-07/schema#";

test("every bad field is named, up to twenty", () => {
  const schema = {
    type: "object",
    properties: { angle: { type: "number" }, name: { maxLength: 2 }, inner: { additionalProperties: false } },
    required: ["angle", "size/x"],
  };
  assert.deepEqual(errors(schema, { angle: "x", name: "abc", inner: { "a~b": 1 } }), [
    "/size~1x: is required",
    "/angle: must be number",
    "/name: must NOT have more than 2 characters",
    "/inner/a~0b: is not allowed",
  ]);
  assert.deepEqual(errors(schema, { angle: 1, "size/x": 0 }), []);
  assert.equal(
    errors(
      { items: { type: "string" } },
      Array.from({ length: 100 }, (_, i) => i),
    ).length,
    20,
  );
});

test("what is no schema accepts everything, and so does an empty one", () => {
  for (const schema of [{ angle: 0 }, {}, true]) {
    for (const payload of [null, 1, "x", [], { angle: "x" }]) assert.deepEqual(errors(schema, payload), []);
  }
});

test("the schema false accepts nothing", () => {
  assert.equal(errors(false, {}).length, 1);
});

test("a payload is never changed", () => {
  const payload = Object.freeze({ n: "1", deep: Object.freeze({}) });
  const schema = {
    properties: { n: { type: "number" }, deep: { properties: { x: { default: 1 } } }, more: { default: 2 } },
  };
  assert.deepEqual(errors(schema, payload), ["/n: must be number"]);
  assert.deepEqual(payload, { n: "1", deep: {} });
});

test("the dialect is the one the schema names, 2020-12 otherwise", () => {
  assert.equal(errors({ prefixItems: [{ type: "string" }] }, [1]).length, 1);
  assert.equal(errors({ $schema: draft07, prefixItems: [{ type: "string" }] }, [1]).length, 0);
  assert.equal(errors({ $schema: draft07, items: [{ type: "string" }] }, [1]).length, 1);
  assert.equal(errors({ $schema: "https://json-schema.org/draft/2020-12/schema", items: false }, [1]).length, 1);
  assert.deepEqual(refused('{"items":[{}]}'), ["/schema/items"]);
  assert.deepEqual(refused('{"$schema":"http://json-schema.org/draft-04/schema#"}'), ["/schema/$schema"]);
  assert.deepEqual(refused('{"$schema":7}'), ["/schema/$schema"]);
});

test("references within the schema are followed, by pointer, by name and through an inner address", () => {
  const integer = { type: "integer" };
  const broken = ["/a: must be integer"];
  const at = (schema: object) => errors({ properties: { a: schema }, $defs: { "x y/z": integer } }, { a: "s" });
  assert.deepEqual(at({ $ref: "#/$defs/x%20y~1z" }), broken);
  assert.deepEqual(
    errors({ properties: { a: { $ref: "#i" } }, $defs: { i: { $anchor: "i", ...integer } } }, { a: "s" }),
    broken,
  );
  assert.deepEqual(
    errors({ properties: { a: { $dynamicRef: "#i" } }, x: { $dynamicAnchor: "i", ...integer } }, { a: 1.5 }),
    broken,
  );
  const inner = { $id: "http://example.com/inner", $ref: "#/$defs/i", $defs: { i: integer } };
  assert.deepEqual(
    errors({ $id: "http://example.com/", properties: { a: inner }, $defs: { i: true } }, { a: "s" }),
    broken,
  );
  const named = { $schema: draft07, properties: { a: { $ref: "#i" } }, definitions: { i: { $id: "#i", ...integer } } };
  assert.deepEqual(errors(named, { a: "s" }), broken);
});

test("a schema may describe trees", () => {
  const tree = { type: "object", properties: { children: { items: { $ref: "#" } } }, required: ["name"] };
  assert.deepEqual(errors(tree, { name: 1, children: [{ name: 1 }, { name: 2, children: [{}] }] }), [
    "/children/1/children/0/name: is required",
  ]);
});

test("a payload may itself be a schema", () => {
  for (const $schema of [draft07, "https://json-schema.org/draft/2020-12/schema"]) {
    const schema = { $schema, properties: { spec: { $ref: $schema } } };
    assert.deepEqual(errors(schema, { spec: { properties: { a: { type: "string" } } } }), []);
    assert.ok(
      errors(schema, { spec: { properties: { a: { type: "strong" } } } })[0]?.startsWith("/spec/properties/a/type"),
    );
  }
});

test("words of the language are names like any other, in schema and payload", () => {
  const words = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  for (const word of words) {
    const text = `{"properties":{"${word}":{"type":"string"}},"required":["${word}"],"additionalProperties":false}`;
    const validate = schemas.validator(text);
    assert.deepEqual(validate({}), [{ pointer: `/${word}`, detail: "is required" }]);
    assert.deepEqual(validate(JSON.parse(`{"${word}":"x"}`)), []);
    assert.deepEqual(validate(JSON.parse(`{"${word}":1}`)), [{ pointer: `/${word}`, detail: "must be string" }]);
    const pattern = schemas.validator(`{"patternProperties":{"${word}":{"type":"string"}}}`);
    assert.deepEqual(pattern(JSON.parse(`{"${word}":1}`)), [{ pointer: `/${word}`, detail: "must be string" }]);
    schemas.check(`{"${word}":{"${word}":1},"dependentRequired":{"${word}":["a"]},"$defs":{"${word}":{}}}`);
  }
  assert.equal(({} as Record<string, unknown>)["type"], undefined);
  assert.deepEqual(refused('{"$ref":"#/constructor"}'), ["/schema/$ref"]);
});

test("keywords of Ajv alone are remarks", () => {
  assert.deepEqual(errors({ $async: true, type: "string" }, 1), [": must be string"]);
  assert.deepEqual(errors({ type: "string", nullable: true }, null), [": must be string"]);
  assert.deepEqual(errors({ type: "object", discriminator: { propertyName: "x" }, oneOf: [{}] }, {}), []);
  assert.deepEqual(errors({ format: "no-such-format" }, "x"), []);
  assert.deepEqual(errors({ contentMediaType: "application/json", contentSchema: false }, "x"), []);
});

const refusals: readonly (readonly [text: string, pointer: string])[] = [
  ["null", "/schema"],
  ["[]", "/schema"],
  ["5", "/schema"],
  ["{", "/schema"],
  ['{"type":"angle"}', "/schema/type"],
  ['{"properties":{"a":5}}', "/schema/properties/a"],
  ['{"required":true}', "/schema/required"],
  ['{"minLength":-1}', "/schema/minLength"],
  ['{"maximum":{"$data":"1/x"}}', "/schema/maximum"],
  ['{"const":1e999}', "/schema/const"],
  ['{"properties":{"a":{"$ref":"http://example.com/x.json"}}}', "/schema/properties/a/$ref"],
  ['{"$ref":"other.json"}', "/schema/$ref"],
  ['{"$ref":"file:///etc/passwd"}', "/schema/$ref"],
  ['{"$ref":"#/$defs/gone"}', "/schema/$ref"],
  ['{"$ref":"#gone"}', "/schema/$ref"],
  ['{"$ref":"#/%"}', "/schema/$ref"],
  ['{"$ref":"#/x","x":{"type":5}}', "/schema/x/type"],
  ['{"$ref":"#/enum","enum":[1]}', "/schema/$ref"],
  ['{"items":{"pattern":"(?=a)"}}', "/schema/items/pattern"],
  ['{"patternProperties":{"(a)\\\\1":{}}}', "/schema/patternProperties/(a)\\1"],
  ['{"pattern":"("}', "/schema/pattern"],
  ['{"$ref":"#"}', "/schema"],
  ['{"anyOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}}', "/schema"],
  ['{"$dynamicRef":"#a","$defs":{"a":{"$dynamicAnchor":"a","$id":"http://x/"}}}', "/schema/$dynamicRef"],
  [`{"title":"${"x".repeat(64 * 1024)}"}`, "/schema"],
];

for (const [text, pointer] of refusals) {
  test(`the schema ${text.slice(0, 70)} is refused at ${pointer}`, () => {
    assert.equal(refused(text)[0], pointer);
  });
}

test("a schema is at most 32 levels deep", () => {
  const nested = (depth: number) => `${'{"not":'.repeat(depth - 1)}{}${"}".repeat(depth - 1)}`;
  schemas.check(nested(32));
  assert.equal(refused(nested(33)).length, 1);
});

test("values are equal whatever the order of their keys, and only within their type", () => {
  const schema = { enum: [1, "2", { a: [1], b: null }, [{}]] };
  for (const payload of [1, 1.0, "2", { b: null, a: [1] }, [{}]]) assert.deepEqual(errors(schema, payload), []);
  for (const payload of ["1", 2, { a: ["1"], b: null }, {}, [[]], null])
    assert.equal(errors(schema, payload).length, 1);
  assert.deepEqual(errors({ const: null }, null), []);
  assert.equal(errors({ uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }]).length, 1);
  assert.deepEqual(errors({ uniqueItems: true }, [1, "1", [1], ["1"], { a: 1 }, null, "null"]), []);
  assert.deepEqual(errors({ uniqueItems: false }, [1, 1]), []);
});

test("an endless name in a payload or a schema stays out of the answer", () => {
  assert.deepEqual(refused(`{"properties":{"${"k".repeat(1_000)}":{"pattern":"\\\\1"}}}`), ["/schema/properties"]);
  const [error] = schemas.validator('{"additionalProperties":{"type":"string"}}')({ ["k".repeat(100_000)]: 1 });
  assert.deepEqual(error, { pointer: "", detail: "must be string" });
});

test("where Ajv cannot find all errors, the first one is told", () => {
  const branch = { unevaluatedProperties: { const: false }, if: {}, else: { pattern: "^a" } };
  const schema = {
    patternProperties: { "^a": { type: "string" } },
    oneOf: [{ ...branch, ...JSON.parse('{"then":{"type":"string"}}') }, {}],
  };
  assert.deepEqual(errors({ properties: { x: schema } }, { x: { a: [] } }), ["/x/a: must be string"]);
});
