// Each of these would take minutes or the memory of the machine if it were simply compiled and run. The limit is wide:
// it tells bounded from unbounded, not fast from slow.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "../../core/problem.ts";
import { ajvSchemas } from "./ajv-schemas.ts";

const limitMs = 30_000;
const many = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, i) => item(i));
const byName = (count: number, item: (index: number) => unknown) =>
  Object.fromEntries(many(count, (i) => [`p${i}`, item(i)]));
const link = (name: string | number) => ({ $ref: `#/$defs/p${name}` });
const nested = many(250, () => 0).reduce<unknown>((inner) => [inner], 1);
const zeros = many(500_000, () => 0);
const megabyte = "a".repeat(1 << 20);

const hostile: Readonly<Record<string, readonly [schema: unknown, ...payloads: unknown[]]>> = {
  "references that double at each of forty steps": [
    { $defs: { ...byName(40, (i) => ({ allOf: [link(i + 1), link(i + 1)] })), p40: {} }, ...link(0) },
  ],
  "references that double for each level of the payload": [
    { allOf: [{ items: { $ref: "#" } }, { items: { $ref: "#" } }] },
    nested,
  ],
  "branches that double for each level and fail at the bottom": [
    {
      anyOf: [
        { type: "array", items: { $ref: "#" } },
        { type: "array", items: { $ref: "#" } },
      ],
    },
    nested,
  ],
  "a long chain of references": [{ $defs: { ...byName(900, (i) => ({ not: link(i + 1) })), p900: {} }, ...link(0) }, 1],
  "one definition under a thousand spellings": [
    {
      $defs: { p0: { allOf: many(500, (i) => ({ minimum: i })) } },
      allOf: many(400, (i) => ({ $ref: `#/$defs/p0`.replace("p", () => (i % 2 ? "%70" : "p")) })),
    },
    1,
  ],
  "thousands of subschemas": [{ oneOf: many(3_500, (i) => ({ minimum: i })) }, 1],
  "hundreds of branches": [{ oneOf: many(900, (i) => ({ minimum: i })) }, 5, -1],
  "hundreds of properties": [
    { properties: byName(900, () => ({ minLength: 1, format: "date" })) },
    { p1: "", p2: "x" },
  ],
  "hundreds of conditions": [{ allOf: many(240, (i) => ({ if: { minimum: i }, else: { maximum: 300 } })) }, 5],
  "hundreds of properties left unevaluated": [
    { anyOf: many(450, (i) => ({ properties: { [`p${i}`]: {} } })), unevaluatedProperties: false },
    byName(100_000, () => 1),
  ],
  "a long enum for each of many items": [{ items: { enum: many(8_000, (i) => i - 7_999) } }, zeros],
  "a long enum in a dialect that wants no repeats": [
    { $schema: "http://json-schema.org/draft-07/schema#", enum: many(10_000, (i) => i) },
    5,
  ],
  "an enum of objects for a large object": [{ enum: many(900, (i) => ({ [`k${i}`]: 1 })) }, byName(50_000, () => 1)],
  "long lists of required names for each of many items": [
    { items: { anyOf: [{ required: many(5_000, (i) => `p${i}`) }, true] } },
    many(100_000, () => ({})),
  ],
  "unique items, all different": [{ uniqueItems: true }, many(200_000, (i) => i), many(60_000, (i) => ({ a: [i] }))],
  "unique items at every level": [{ uniqueItems: true, items: { $ref: "#" } }, [nested, zeros.slice(0, 50_000)]],
  "an error for each of many items": [{ items: { type: "string", minLength: 1 } }, zeros],
  "patterns for each of many names": [
    { patternProperties: byName(99, () => ({ minimum: 1 })), additionalProperties: false },
    byName(30_000, () => 1),
  ],
  "hundreds of patterns": [{ patternProperties: byName(900, () => true) }, {}],
  "a pattern that backtracks": [{ pattern: "^(a+)+$" }, `${megabyte}!`],
  "a pattern with large repeats": [{ pattern: "(a?){400}a{400}" }, megabyte, "a".repeat(300)],
  "the same pattern on one text again and again": [
    { allOf: many(90, (i) => ({ pattern: `(a|aa)+b{${i}}$` })) },
    megabyte,
  ],
  "a pattern nested beyond the stack": [{ pattern: "(".repeat(990) + ")".repeat(990) }, "x"],
  "lengths of a long text, again and again": [{ allOf: many(900, (i) => ({ maxLength: 2 ** 21 + i })) }, megabyte],
};

for (const [name, [schema, ...payloads]] of Object.entries(hostile)) {
  test(`${name}: refused, or done with bounded work`, { timeout: limitMs }, () => {
    const schemas = ajvSchemas();
    const text = JSON.stringify(schema);
    assert.ok(text.length <= 64 * 1024, `${text.length}`);
    try {
      const validate = schemas.validator(text);
      for (const payload of payloads) assert.ok(validate(payload).length <= 20);
    } catch (error) {
      assert.ok(error instanceof Problem, String(error));
    }
  });
}

const longTexts = [
  ...[
    "a",
    "1",
    ":",
    ".",
    "a.",
    "a@",
    "@a",
    "a:",
    "::",
    "~",
    "/",
    "%41",
    "{a}",
    "-",
    "P1",
    "1.",
    "a-",
    "=",
    "\n",
    "\u00e9",
  ],
  ...["http://", "http://a:", "http://a@", "urn:uuid:", "0:", "f:f::"],
];
const formats = [
  ...[
    "date",
    "time",
    "date-time",
    "iso-time",
    "iso-date-time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
  ],
  ...["uri", "uri-reference", "uri-template", "url", "json-pointer", "json-pointer-uri-fragment", "regex", "byte"],
  "relative-json-pointer",
];

for (const format of formats) {
  test(`the format ${format} answers soon on long and hostile texts`, { timeout: limitMs }, () => {
    const validate = ajvSchemas().validator(JSON.stringify({ items: { format } }));
    const texts = [200, 2_000, 200_000].flatMap((length) =>
      longTexts.map((part) => `${part.repeat(length / part.length)}!`),
    );
    for (const text of texts) validate([text]);
    validate(many(500, () => `${"http://a:".repeat(225)} `));
  });
}
