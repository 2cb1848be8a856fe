import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { settingEntries } from "./settings.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("every setting is read by somebody", () => {
  const files = globSync("src/**/*.ts", { cwd: root }).filter(
    (file) => !/\.test\.ts$|^src[\\/](?:testing|server[\\/]settings)[\\/]/.test(file),
  );
  const words = new Set(files.flatMap((file) => readFileSync(`${root}/${file}`, "utf8").match(/\w+/g) ?? []));
  const unread = settingEntries.filter(
    ([name, { variables }]) => !words.has(name) && !variables.some((variable) => words.has(variable)),
  );
  assert.deepEqual(
    unread.map(([name]) => name),
    [],
  );
});
