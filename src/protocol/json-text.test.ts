import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Problem } from "../core/problem.ts";
import { pointerLengthMax } from "./json-pointer.ts";
import { readJson, readJsonBytes } from "./json-text.ts";

const limits = { depthMax: 8 };

function refusal(read: () => unknown): { pointer: string; detail: string } {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.status, 422);
    assert.equal(error.errors.length, 1);
    return { ...(error.errors[0] as { pointer: string; detail: string }) };
  }
  assert.fail("it was accepted");
}

const refused = (text: string) => refusal(() => readJson(text, limits));

const notJson: readonly (readonly [text: string, where: string])[] = [
  ["", "it ends too early"],
  ["  ", "it ends too early"],
  ['{"a": 1', "it ends too early"],
  ['{"a', "it ends too early"],
  ['"\\', "line 1, column 2 is unexpected"],
  ['{"a": x}', "line 1, column 7 is unexpected"],
  ['{"a": 1,}', "line 1, column 9 is unexpected"],
  ["[1,]", "line 1, column 4 is unexpected"],
  ['{\n  "a": 1\n  "b": 2\n}', "line 3, column 3 is unexpected"],
  ["{'a': 1}", "line 1, column 2 is unexpected"],
  ["[1}", "line 1, column 3 is unexpected"],
  ["[NaN]", "line 1, column 2 is unexpected"],
  ["[01]", "line 1, column 2 is unexpected"],
  ["[-]", "line 1, column 2 is unexpected"],
  ["[1] 2", "line 1, column 5 is unexpected"],
  ['["\\x"]', "line 1, column 3 is unexpected"],
  ['["\\u12"]', "line 1, column 3 is unexpected"],
  ['["a\nb"]', "line 1, column 4 is unexpected"],
  ["\u00a0[]", "line 1, column 1 is unexpected"],
];

for (const [text, where] of notJson) {
  test(`the text ${JSON.stringify(text)} is not JSON: ${where}`, () => {
    assert.deepEqual(refused(text), { pointer: "", detail: `is not JSON: ${where}` });
  });
}

const offences: readonly (readonly [text: string, pointer: string, detail: string])[] = [
  ['{"a": {"b": 1e999}}', "/a/b", "is a number that is too large"],
  ['{"a": [1, -1E+400]}', "/a/1", "is a number that is too large"],
  [`[${"9".repeat(400)}]`, "/0", "is a number that is too large"],
  ['{"a/b~c": "\\u0000"}', "/a~1b~0c", "has a NUL character"],
  ['{"a": {"x\\u0000": 1}}', "/a", "has a key that has a NUL character"],
  ['{"a": 1, "b": "\\ud800"}', "/b", "has a lone surrogate"],
  ['["\\udc00\\ud800"]', "/0", "has a lone surrogate"],
  ['["\\ud800\\ud800\\udc00"]', "/0", "has a lone surrogate"],
  ['[[], {"k": "x\ud800y"}]', "/1/k", "has a lone surrogate"],
  ['[{"\ude00": 1}]', "/0", "has a key that has a lone surrogate"],
  ['{"a":[[[[[[[[1]]]]]]]]}', "/a/0/0/0/0/0/0/0", "is nested deeper than 8"],
];

for (const [text, pointer, detail] of offences) {
  test(`what ${JSON.stringify(text.slice(0, 40))} does wrong is found at '${pointer}'`, () => {
    assert.deepEqual(refused(text), { pointer, detail });
  });
}

test("numbers up to the largest double, whole pairs and escaped backslashes are read", () => {
  const text = '[1.7976931348623157e308, -1e-999, 123456789012345678901234567890, "\\ud83d\\ude02😂\\\\u0000"]';
  assert.deepEqual(readJson(text, limits), JSON.parse(text));
});

test("a hundred thousand brackets are refused, closed or not", () => {
  const open = "[".repeat(100_000);
  assert.equal(refused(open).detail, "is nested deeper than 8");
  assert.equal(refused(open + "]".repeat(100_000)).detail, "is nested deeper than 8");
  assert.equal(refused('{"a":'.repeat(100_000)).detail, "is nested deeper than 8");
});

test("a fault before an offence is told first", () => {
  assert.deepEqual(refused('[x, "\\u0000"]'), { pointer: "", detail: "is not JSON: line 1, column 2 is unexpected" });
});

test("a pointer through an endless key names the place above it", () => {
  const key = "k".repeat(pointerLengthMax);
  assert.equal(refused(`{"a":{"${key}":1e999}}`).pointer, "/a");
});

test("bytes are read as UTF-8, with or without a byte order mark", () => {
  assert.deepEqual(readJsonBytes(Buffer.from('{"ü":"😂"}'), limits), { ü: "😂" });
  assert.deepEqual(readJsonBytes(Buffer.from("\ufeff[1]"), limits), [1]);
});

test("bytes that are not UTF-8 are refused, and the next body is read", () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc3],
    [0xff, 0xfe, 0x5b, 0],
  ]) {
    assert.deepEqual(
      refusal(() => readJsonBytes(Uint8Array.from(bytes), limits)),
      { pointer: "", detail: "is not UTF-8" },
    );
    assert.deepEqual(readJsonBytes(Buffer.from('{"ü":1}'), limits), { ü: 1 });
  }
});

test("the depth limit is exact", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 0, max: 300 }),
      fc.boolean(),
      (depth, most, list) => {
        const text = list
          ? `${"[".repeat(depth)}1${"]".repeat(depth)}`
          : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
        const read = () => readJson(text, { depthMax: most });
        if (depth > most) assert.equal(refusal(read).detail, `is nested deeper than ${most}`);
        else assert.deepEqual(read(), JSON.parse(text));
      },
    ),
  );
});

test("a number is refused exactly when it becomes Infinity", () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{0,330}$/);
  const exponent = fc.option(fc.integer({ min: -400, max: 400 }), { nil: undefined });
  fc.assert(
    fc.property(fc.constantFrom("", "-"), digits, exponent, (sign, whole, power) => {
      const text = `${sign}${whole}${power === undefined ? "" : `e${power}`}`;
      if (Number.isFinite(Number(text))) assert.equal(readJson(text, limits), Number(text));
      else assert.equal(refused(text).detail, "is a number that is too large");
    }),
  );
});

test("whatever the text, it is read as JSON.parse reads it, or refused by a problem", () => {
  const shard = fc.constantFrom(
    ...'{}[],:"\\ \n01-+.eE',
    "\\u0000",
    "\\ud83d",
    "\\ude02",
    "\ud83d",
    "true",
    "nul",
    '"a"',
    '{"k":',
    "1e999",
  );
  const anyText = fc.oneof(
    fc.array(shard, { maxLength: 40 }).map((shards) => shards.join("")),
    fc.string({ unit: "binary" }),
    fc.json(),
    fc
      .tuple(fc.json(), fc.nat(), shard)
      .map(([json, at, extra]) => json.slice(0, at % 50) + extra + json.slice(at % 50)),
  );
  fc.assert(
    fc.property(anyText, (text) => {
      try {
        assert.deepEqual(readJson(text, limits), JSON.parse(text));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        assert.equal(error.status, 422);
      }
    }),
    { numRuns: 2_000 },
  );
});
