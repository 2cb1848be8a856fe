import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { ajvSchemas } from "./ajv-schemas.ts";

const names = fc.constantFrom("a", "b", "c");
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom("", "a", "ab", "é😂"),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const small = fc.nat({ max: 3 });
const leaf = fc.oneof(
  fc.constantFrom<unknown>(true, false, {}, { $ref: "#/$defs/a" }, { $ref: "#/$defs/b" }),
  fc.record({ type: fc.constantFrom("string", "integer", "number", "object", "array", "null", "boolean") }),
  fc.record({ type: fc.constant(["string", "null"]), minLength: small, maxLength: small }, { requiredKeys: ["type"] }),
  fc.record({ minimum: small, exclusiveMaximum: small, multipleOf: fc.constantFrom(1, 2, 0.5) }, { requiredKeys: [] }),
  fc.record({ minItems: small, maxItems: small, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
  fc.record({ minProperties: small, maxProperties: small, required: fc.uniqueArray(names) }, { requiredKeys: [] }),
  fc.record({ enum: fc.uniqueArray(value, { minLength: 1, maxLength: 4, selector: (each) => JSON.stringify(each) }) }),
  fc.record({ const: value }),
  fc.record({ pattern: fc.constantFrom("^a", "b$", ".", "^\\w*$", "[^a]") }),
);

type Keywords = Readonly<Record<string, fc.Arbitrary<unknown>>>;

function schemaOf(own: (inner: fc.Arbitrary<unknown>) => Keywords): fc.Arbitrary<unknown> {
  const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
    const inner = tie("schema");
    const list = fc.array(inner, { minLength: 1, maxLength: 2 });
    const keywords: Keywords = {
      ...{ allOf: list, anyOf: list, oneOf: list, not: inner, contains: inner },
      properties: fc.dictionary(names, inner, { maxKeys: 2, noNullPrototype: true }),
      patternProperties: fc.dictionary(fc.constantFrom("^a", "b"), inner, { noNullPrototype: true }),
      ...{ additionalProperties: inner, propertyNames: inner },
      ...own(inner),
    };
    const single = Object.entries(keywords).map(([keyword, each]) => each.map((held) => ({ [keyword]: held })));
    const condition = fc.tuple(inner, inner, inner).map((parts) => {
      return Object.fromEntries(["if", "then", "else"].map((keyword, index) => [keyword, parts[index]]));
    });
    const several = fc.array(fc.oneof(condition, ...single), { minLength: 1, maxLength: 3 });
    return {
      schema: fc.oneof(
        { maxDepth: 3 },
        leaf,
        several.map((parts) => Object.assign({}, ...parts) as unknown),
      ),
    };
  });
  // Below a property, so that references may lead upwards without leading in a circle on the spot.
  return fc.tuple(schema, leaf).map(([root, a]) => {
    return { properties: { a: root, c: root }, items: root, $defs: { a: noLink(a), b: true } };
  });
}

const noLink = (schema: unknown) => (JSON.stringify(schema).includes("$ref") ? true : schema);

const dialects = {
  "2020-12": {
    plain: () => new Ajv2020({ strict: false, logger: false }),
    extra: {},
    own: (inner: fc.Arbitrary<unknown>) => ({
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 3 }),
      ...{ items: inner, unevaluatedItems: inner, unevaluatedProperties: inner, minContains: small },
      dependentRequired: fc.dictionary(names, fc.uniqueArray(names), { noNullPrototype: true }),
      dependentSchemas: fc.dictionary(names, inner, { maxKeys: 2, noNullPrototype: true }),
    }),
  },
  "draft-07": {
    plain: () => new Ajv({ strict: false, logger: false }),
    extra: { $schema: "http://json-schema.org/draft-07/schema#" },
    own: (inner: fc.Arbitrary<unknown>) => ({
      items: fc.oneof(inner, fc.array(inner, { minLength: 1, maxLength: 3 })),
      additionalItems: inner,
      dependencies: fc.dictionary(names, fc.oneof(fc.uniqueArray(names), inner), { maxKeys: 2, noNullPrototype: true }),
    }),
  },
} as const;

for (const [name, { plain, extra, own }] of Object.entries(dialects)) {
  test(`an ordinary schema of ${name} accepts what plain Ajv accepts`, () => {
    const schemas = ajvSchemas();
    fc.assert(
      fc.property(schemaOf(own), fc.array(value, { minLength: 1, maxLength: 5 }), (schema, payloads) => {
        const document = { ...(schema as object), ...extra };
        const expected = plain().compile(document);
        const validate = schemas.validator(JSON.stringify(document));
        for (const each of payloads.flatMap((payload) => [payload, { a: payload, c: payload }, [payload, payload]])) {
          const before = JSON.stringify(each);
          assert.equal(validate(each).length === 0, expected(each), `${JSON.stringify(document)} ${before}`);
          assert.equal(JSON.stringify(each), before);
        }
      }),
      { numRuns: 150 },
    );
  });
}
