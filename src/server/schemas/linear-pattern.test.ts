import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { linearPatterns } from "./linear-pattern.ts";
import { TooMuchWork, workMeter } from "./work-meter.ts";

const meter = workMeter();
const patterns = linearPatterns(meter);

function matches(source: string, text: string): boolean {
  meter.allow(10_000_000);
  return patterns.compile(source).pattern.test(text);
}

test("a pattern is found anywhere in the text unless it is anchored", () => {
  assert.equal(matches("b", "abc"), true);
  assert.equal(matches("^b", "abc"), false);
  assert.equal(matches("^b$", "a\nb\nc"), false);
});

const spelledDifferently: readonly (readonly [source: string, texts: readonly string[]])[] = [
  ["^.$", ["😂", "a", "\n", "\r", "\u2028", "\u0085"]],
  ["^\\s$", [" ", "\u00a0", "\ufeff", "\u2003", "\v", "x", "\u0085"]],
  ["^\\S$", [" ", "\u00a0", "\ufeff", "x", "😂"]],
  ["^[\\s\\S]$", ["\u00a0", "x", "\n"]],
  ["^[^\\s]$", ["\u00a0", "x"]],
  ["^[\\S-]$", ["-", " ", "x"]],
  ["^\\u{1f602}$", ["😂", "u"]],
  ["^\\ud83d\\ude02$", ["😂"]],
  ["^[\\ud83d\\ude02-\\ud83d\\ude04]$", ["😂", "😃", "a"]],
  ["^\\u0041\\x42\\cJ\\0$", ["AB\n\0"]],
  ["^[\\b]$", ["\b", "b"]],
  ["\\bfoo\\b", ["a foo b", "afoob"]],
  ["^\\/[\\-\\]\\^/]$", ["/-", "/]", "/^", "//", "/a"]],
  ["^[[:alpha:]$", ["[", ":", "a", "b"]],
  ["^[]$", ["", "a"]],
  ["^[^]$", ["\n", "a", ""]],
  ["^(?<year>\\d{4})-(?:\\d\\d)$", ["2024-12", "x"]],
  ["^\\p{L}+$", ["äß", "1"]],
  ["^\\p{Script=Greek}\\P{sc=Greek}$", ["αa", "aα"]],
  ["^(?:a|b)*?c{2,3}$", ["abcc", "abc"]],
  ["", ["", "x"]],
];

for (const [source, texts] of spelledDifferently) {
  test(`the pattern ${JSON.stringify(source)} means what it means in ECMAScript`, () => {
    for (const text of texts)
      assert.equal(matches(source, text), new RegExp(source, "u").test(text), JSON.stringify(text));
  });
}

for (const source of ["(?=a)b", "(?!a)b", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<n>a)\\k<n>", "a{1001}", "(?s:.)"]) {
  test(`the pattern ${source} is refused, for it has no linear form`, () => {
    assert.throws(() => patterns.compile(source), /cannot run in linear time|no regular expression/);
  });
}

for (const source of ["(", "[b-a]", "\\Z", "a**", "(?P<n>a)", "(?i)a"]) {
  test(`the pattern ${source} is refused, for it is none of ECMAScript`, () => {
    assert.throws(() => patterns.compile(source), /no regular expression/);
  });
}

test("a pattern that grows too large is refused", () => {
  assert.throws(() => patterns.compile("(a{1,40}){1,25}b{1,1000}"), /too large|linear time/);
  assert.throws(() => patterns.compile("a".repeat(2_001)), /longer/);
});

test("hostile patterns on a megabyte end, by an answer or on the meter", () => {
  const text = `${"a".repeat(1 << 20)}!`;
  for (const source of [
    "^(a+)+$",
    "(x+x+)+y",
    "(a|aa)+$",
    "(.*)(.*)(.*)x$",
    "(a?){300}a{300}",
    "([ab]*a[ab]{15}){3}c",
  ]) {
    try {
      matches(source, text);
    } catch (error) {
      assert.ok(error instanceof TooMuchWork, String(error));
    }
  }
});

test("random patterns find what the engine of the language finds", () => {
  const atom = fc.constantFrom(
    "a",
    "b",
    ".",
    "\\d",
    "\\s",
    "\\S",
    "\\w",
    "[ab]",
    "[^a\\s]",
    "[\\w-]",
    "é",
    "😂",
    "\\.",
    "^",
    "$",
    "\\b",
  );
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: "small" },
      atom,
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => a + b),
      fc.tuple(tie("pattern"), tie("pattern")).map(([a, b]) => `(${a}|${b})`),
      fc
        .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "*?"))
        .map(([a, much]) => `(?:${a})${much}`),
    ),
  }));
  const text = fc.array(fc.constantFrom(..."ab1_ -.\n\u00a0é😂"), { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(pattern, text, (source, sample) => {
      assert.equal(matches(source, sample), new RegExp(source, "u").test(sample));
    }),
    { numRuns: 500 },
  );
});
