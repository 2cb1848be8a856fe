// What the package exports is documented: the reference is what the code says, and its examples are valid programs.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

function run(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
}

test("the reference is what the code says, and everything exported is documented", () => {
  run(join("tools", "reference", "main.ts"), "--check");
});

test("the examples of the reference compile", () => {
  const folder = mkdtempSync(join(tmpdir(), "leadhand-examples-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const written = globSync("docs/reference/*.md", { cwd: root }).flatMap((path) => {
      const blocks = readFileSync(join(root, path), "utf8").matchAll(/^```ts\n(import .*?)^```$/gms);
      return [...blocks].map(([, code = ""], nth) => {
        const name = `${path.replaceAll(/\W/g, "-")}-${nth}.ts`;
        // An example is a program of its own, and what it only shows need not be used.
        writeFileSync(join(folder, name), `${code}\nexport {};\n`);
        return name;
      });
    });
    assert.ok(written.length > 5, "there are examples");
    const paths = Object.fromEntries(
      [
        ["leadhand", "sdk"],
        ["leadhand/server", "server"],
        ["leadhand/testing", "testing"],
      ].map(([name, part]) => [name, [join(root, "src", part as string, "index.ts")]]),
    );
    const compilerOptions = { paths, noUnusedLocals: false, lib: ["es2024", "esnext.disposable"] };
    const extended = { extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: written };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(extended));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    run(join("node_modules", "typescript", "bin", "tsc"), "-p", folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
