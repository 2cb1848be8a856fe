// Which test stands for which sentence of the document: one that is renamed or removed is missed here.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { folders, proofs } from "./document-proofs.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** As they are written, with what is filled in left open. */
function testNames(file: string): readonly string[] {
  const [folder, name] = file.split("/") as [keyof typeof folders, string];
  const text = readFileSync(`${root}${folders[folder]}/${name}.test.ts`, "utf8");
  const named = /\b(?:test|it)\(\s*(["`])((?:(?!\1)[^\\]|\\.)*)\1/g;
  return [...text.matchAll(named)].map(([, , words = ""]) => words);
}

test("each test that stands for a sentence is there, by the words of its name", () => {
  const missing = proofs.filter(([sentence, file, words = sentence]) => {
    return !testNames(file).some((name) => name.includes(words));
  });
  assert.deepEqual(missing, []);
});
