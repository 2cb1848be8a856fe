import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { test } from "node:test";
import { headRow } from "../src/cli/demo/task-row.ts";
import { commandsToTry } from "../src/cli/demo/texts.ts";
import { noPaint } from "../src/cli/paint.ts";
import { readDocument, shellBlocks } from "./shell-blocks.ts";

const runLine = "npm ci && npm run demo";
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

test("the screen in the README is the one that the demo draws", () => {
  const readme = readDocument("README.md");
  const drawn = readme.split("```").find((block) => block.includes("In a second terminal:")) ?? "";
  const lines = drawn.split("\n");
  assert.ok(lines.includes(` ${headRow(78, noPaint).trimEnd()}`), "the head of its table");
  const [url = "", data = ""] = ["LEADHAND_URL", "LEADHAND_DATA"].map(
    (name) => drawn.split(`${name}=`)[1]?.split("\n")[0],
  );
  assert.deepEqual(
    lines.slice(-6, -1).map((line) => line.trim()),
    commandsToTry(url, data, "linux"),
  );
  assert.ok(lines.length - 2 <= 24 && lines.every((line) => line.length <= 80), "a terminal of 80 by 24");
});
