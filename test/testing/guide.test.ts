// The files of the guide type-check together, and its tests pass.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../leadhand-process.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const guide = readFileSync(join(root, "docs/guides/test-your-jobs.md"), "utf8");
const files = [...guide.matchAll(/^```ts\n\/\/ ([\w.-]+)\n(.*?)^```$/gms)].map(([, name = "", code = ""]) => ({
  name,
  code,
}));
let folder = "";

/** The packages that the guide imports are there, as they would be after `npm install`; ours is this clone. */
before(async () => {
  folder = await temporaryFolder();
  for (const { name, code } of files) writeFileSync(join(folder, name), code);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const leadhand = join(folder, "node_modules", "leadhand");
  mkdirSync(leadhand, { recursive: true });
  for (const name of ["zod", "@types", "undici-types"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  // Files below node_modules are not run as TypeScript; those that a link leads to are.
  symlinkSync(join(root, "src"), join(leadhand, "src"));
  const exports = { ".": "./src/sdk/index.ts", "./testing": "./src/testing/index.ts" };
  writeFileSync(join(leadhand, "package.json"), JSON.stringify({ name: "leadhand", type: "module", exports }));
});

function node(...args: readonly string[]): { readonly ok: boolean; readonly said: string } {
  // The runner of the test inside must not take itself for a part of the one outside.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: "utf8" });
  return { ok: status === 0, said: stdout + stderr };
}

test("every block of the guide is a file of it", () => {
  const blocks = guide.match(/^```ts$/gm) ?? [];
  assert.equal(files.length, blocks.length);
  assert.ok(files.length >= 4);
});

test("the files of the guide type-check", () => {
  const compilerOptions = { noUnusedLocals: false, lib: ["es2024", "esnext.disposable"] };
  const include = files.map(({ name }) => name);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include }),
  );
  const { ok, said } = node(join(root, "node_modules/typescript/bin/tsc"), "-p", folder);
  assert.ok(ok, said);
});

test("the tests of the guide pass", () => {
  const tests = files.map(({ name }) => name).filter((name) => name.endsWith(".test.ts"));
  const { ok, said } = node("--test", "--test-isolation=none", "--test-timeout=30000", ...tests);
  assert.ok(ok, said);
  assert.match(said, /what could not be sent is sent again a minute later/);
});
