import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { readDocument, shellBlocks } from "./shell-blocks.ts";

const runLine = "npm ci && npm run quickstart";
const testLine = "npm ci && npm test";

test("the README opens with the line that runs Leadhand and the line that tests it", () => {
  assert.deepEqual(shellBlocks(readDocument("README.md")).slice(0, 2), [runLine, testLine]);
});

test("continuous integration runs the README's test line", () => {
  const commands = readDocument(".ci/run")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.equal(commands.at(-1), testLine);
  assert.ok(statSync(new URL("../.ci/run", import.meta.url)).mode & 0o100, ".ci/run is executable");
});

test("the README names scripts that exist", () => {
  const { scripts } = JSON.parse(readDocument("package.json"));
  const named = readDocument("README.md").matchAll(/npm run ([\w:]+)/g);
  for (const [, name = ""] of named) assert.ok(name in scripts, name);
  assert.ok("test" in scripts);
});
