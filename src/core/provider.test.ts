import assert from "node:assert/strict";
import { test } from "node:test";
import { Problem } from "./problem.ts";
import {
  checkContentType,
  checkProviderCategory,
  isProviderVisible,
  parseProviderName,
  providerQuestion,
} from "./provider.ts";

const question = (params: Readonly<Record<string, string>>) => providerQuestion(new Map(Object.entries(params)));

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

test("a question is hashed as the documents' client hashes it", () => {
  // Python: hashlib.sha256(json.dumps(params, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
  const vectors: [Record<string, string>, string, string][] = [
    [{}, "{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"],
    [
      { path: "/a b", n: "" },
      '{"n":"","path":"/a b"}',
      "db9feedcf37d94818c6e0af40b272762c5b43a0924368491b850add31a7b47e9",
    ],
    [
      { größe: "😀", z: "1", A: "\u007f" },
      '{"A":"\\u007f","gr\\u00f6\\u00dfe":"\\ud83d\\ude00","z":"1"}',
      "476a48d5771e0b814245fdebfaf09ceff4d86214086d6d2795d9998ea4d22667",
    ],
  ];
  for (const [params, text, hash] of vectors) assert.deepEqual(question(params), { text, hash });
});

test("the keys of a question are in order of code points, and all but printable ASCII is escaped in lower case", () => {
  const { text } = question({ "\u{1f600}": "é\u007f", "\uffff": "\u0000\n\t\u001f", "~": '"\\/' });
  assert.equal(text, '{"~":"\\"\\\\/","\\uffff":"\\u0000\\n\\t\\u001f","\\ud83d\\ude00":"\\u00e9\\u007f"}');
});

test("a provider's name has three parts, the last of which may hold anything", () => {
  assert.deepEqual(parseProviderName("lab:files:a:b/c"), { room: "lab", category: "files", name: "a:b/c" });
  for (const text of ["", "lab", "lab:files"]) {
    assert.throws(() => parseProviderName(text), refused("provider-not-found"));
  }
});

test("any category will do unless some are listed, but never one with a colon", () => {
  checkProviderCategory("files", null);
  checkProviderCategory("", null);
  checkProviderCategory("files", ["files"]);
  assert.throws(() => checkProviderCategory("frames", ["files"]), refused("invalid-category"));
  assert.throws(() => checkProviderCategory("a:b", null), refused("invalid-category"));
});

test("a room sees its own providers and those of @global, and @global its own alone", () => {
  assert.equal(isProviderVisible("lab", "lab"), true);
  assert.equal(isProviderVisible("@global", "lab"), true);
  assert.equal(isProviderVisible("lab", "attic"), false);
  assert.equal(isProviderVisible("lab", "@global"), false);
  assert.equal(isProviderVisible("@internal", "lab"), false);
});

test("a content type is one that can be a header", () => {
  for (const type of ["text/plain", "application/json; charset=utf-8", 'text/x-y;a="b c"', "image/svg+xml"]) {
    checkContentType("/content_type", type);
  }
  for (const type of ["", "text", "text/", "text/plain\r\nx: y", "text/é", "a/b; c", `a/${"b".repeat(300)}`]) {
    assert.throws(() => checkContentType("/content_type", type), refused("invalid-request"), type);
  }
});
