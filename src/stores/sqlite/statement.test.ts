import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

test("no statement numbers its parameters, which Node 22 does not understand", () => {
  const here = fileURLToPath(new URL(".", import.meta.url));
  const files = globSync("*.ts", { cwd: here }).filter((file) => !file.startsWith("statement."));
  assert.ok(files.length > 10);
  const numbered = files.filter((file) => /\?\d/.test(readFileSync(new URL(file, import.meta.url), "utf8")));
  assert.deepEqual(numbered, []);
});
