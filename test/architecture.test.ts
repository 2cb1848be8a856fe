import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { problemsOf, type TreeFile } from "./architecture/rules.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("the tree keeps the rules of the house", () => {
  const problems = problemsOf(readTree(), publishedPackages());
  assert.ok(problems.length === 0, `\n${problems.map((problem) => `  - ${problem}`).join("\n")}\n`);
});

function readTree(): TreeFile[] {
  return globSync(["src/**/*", "test/**/*.ts"], { cwd: root })
    .filter((path) => statSync(join(root, path)).isFile())
    .sort()
    .map((path) => ({ path: path.replaceAll("\\", "/"), text: readFileSync(join(root, path), "utf8") }));
}

/** What a user of the package has: its dependencies, and peers they chose to install. */
function publishedPackages(): Set<string> {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)]);
}
