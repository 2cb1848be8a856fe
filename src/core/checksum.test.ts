import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, type Json, jsonDepthMax, specChecksum } from "./checksum.ts";
import { Problem } from "./problem.ts";

const isInvalid = (error: unknown) => error instanceof Problem && error.code === "invalid-request";

/** The test files published with RFC 8785: what came in, and its canonical form. */
const published: Readonly<Record<string, readonly [input: string, output: string]>> = {
  arrays: ['[\n  56,\n  {\n    "d": true,\n    "10": null,\n    "1": [ ]\n  }\n]', '[56,{"1":[],"10":null,"d":true}]'],
  french: [
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
    '{"peach":"This sorting order","péché":"is wrong according to French","pêche":"but canonicalization MUST","sin":"ignore locale"}',
  ],
  structures: [
    '{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{"e":"yes","E":"no"}],"A":{}}',
    '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{"E":"no","e":"yes"}],"A":{},"a":{}}',
  ],
  unicode: ['{"Unnormalized Unicode":"A\\u030a"}', '{"Unnormalized Unicode":"A\u030a"}'],
  values: [
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  ],
  weird: [
    String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\u000a":"Newline","1":"One","\u0080":"Control\u007f","\ud83d\ude02":"Smiley","\u00f6":"Latin Small Letter O With Diaeresis","\ufb33":"Hebrew Letter Dalet With Dagesh","</script>":"Browser Challenge"}`,
    '{"\\n":"Newline","\\r":"Carriage Return","1":"One","</script>":"Browser Challenge","\u0080":"Control\u007f","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
};

for (const [name, [input, output]] of Object.entries(published)) {
  test(`the published example '${name}' has its published canonical form`, () => {
    assert.equal(canonicalJson(JSON.parse(input) as Json), output);
  });
}

/** From appendix B of RFC 8785: the bits of a double, and its text. */
const numbers: readonly (readonly [bits: string, text: string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

test("numbers are spelled as the standard's own table spells them", () => {
  for (const [bits, text] of numbers) assert.equal(canonicalJson(Buffer.from(bits, "hex").readDoubleBE()), text);
});

test("there is no canonical form of what is not JSON", () => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, "\ud800", { "\udc00": 1 }, ["a\ud800b"]]) {
    assert.throws(() => canonicalJson(value), isInvalid);
  }
});

test("JSON may be nested up to the limit and no deeper", () => {
  const nested = (depth: number): Json => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
  const deepest = jsonDepthMax + 1;
  assert.equal(canonicalJson(nested(deepest)).length, 2 * deepest);
  assert.throws(() => canonicalJson(nested(deepest + 1)), isInvalid);
});

test("a key that programs treat specially is a key like any other", () => {
  assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}')), '{"__proto__":{"a":2},"b":1}');
});

test("a canonical form is JSON for the same value, and is its own canonical form", () => {
  const anyJson = fc.jsonValue({ maxDepth: 5, stringUnit: "binary" });
  const holds = fc.property(anyJson, (value) => {
    const text = canonicalJson(value as Json);
    assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    assert.equal(canonicalJson(JSON.parse(text)), text);
  });
  fc.assert(holds, { numRuns: 1_000 });
});

test("the order of keys does not matter", () => {
  const holds = fc.property(fc.uniqueArray(fc.string(), { maxLength: 8 }), (keys) => {
    const object = (order: readonly string[]) => Object.fromEntries(order.map((key) => [key, key.length]));
    assert.equal(canonicalJson(object(keys)), canonicalJson(object(keys.toReversed())));
  });
  fc.assert(holds);
});

test("a checksum is the SHA-256 of the canonical schemas, and of nothing else", () => {
  // printf '%s' '{"schema":{}}' | sha256sum
  const bare = "sha256:cc523b63464a0183a7b2b55741e548bce4dc3a0d1d4b0782439a2ebaed51ae4c";
  assert.equal(specChecksum({ schema: {} }), bare);
  assert.equal(specChecksum({ schema: {}, output: undefined }), bare);
  assert.equal(specChecksum({ schema: {}, queue: "gpu" } as { schema: Json }), bare);
  // printf '%s' '{"output":null,"schema":{}}' | sha256sum
  const nothing = "sha256:70a04351f2cf3ca35373fb0243ae60860129e2e4c76c64c1fd1a13a968423e4e";
  assert.equal(specChecksum({ schema: {}, output: null }), nothing);
  // printf '%s' '{"output":{"type":"string"},"schema":{"a":1,"b":[true,null,"é"]}}' | sha256sum
  const both = "sha256:5b1fc47db9579b883ec9d10fd1862a2eaca820c60fe04d5a449f121adb7210e3";
  assert.equal(specChecksum({ output: { type: "string" }, schema: { b: [true, null, "é"], a: 1.0 } }), both);
});
