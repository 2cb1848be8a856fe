import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { test } from "node:test";

const runLine = "npm ci && npm run demo";
const testLine = "npm ci && npm test";

test("the README opens with the line that runs Leadhand and the line that tests it", () => {
  assert.deepEqual(shellBlocks(read("README.md")).slice(0, 2), [runLine, testLine]);
});

test("continuous integration runs the README's test line", () => {
  const commands = read(".ci/run")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  assert.equal(commands.at(-1), testLine);
  assert.ok(statSync(file(".ci/run")).mode & 0o100, ".ci/run is executable");
});

test("the lines of the README name scripts that exist", () => {
  const { scripts } = JSON.parse(read("package.json"));
  assert.ok(scripts.demo);
  assert.ok(scripts.test);
});

function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map((match) => (match[1] ?? "").trim());
}

function read(path: string): string {
  return readFileSync(file(path), "utf8").replaceAll("\r\n", "\n");
}

function file(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
