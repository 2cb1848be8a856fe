// The package as `npm publish` would send it, installed in a folder that knows nothing of the clone.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../leadhand-process.ts";

export interface Packed {
  /** A project of which the package is a dependency. */
  readonly folder: string;
  /** The command, as it was installed. */
  readonly leadhand: string;
}

const execute = promisify(execFile);
const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = [
  "bin",
  "src",
  "dashboard",
  "tools/build.ts",
  "tools/ui.ts",
  "tools/node.mjs",
  "package.json",
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
];
const settings = ["tsconfig.json", "tsconfig.build.json"];

/** With these of our own development tools beside it. What they and the package depend on is in npm's cache since `npm ci`. */
export async function packed(tools: readonly string[] = []): Promise<Packed> {
  // Packing builds. In a copy, the build of one test file is not in the way of another's.
  const copy = await temporaryFolder();
  for (const each of [...sources, ...settings]) cpSync(join(root, each), join(copy, each), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const folder = await temporaryFolder();
  const { stdout } = await npm(copy, ["pack", "--json", "--pack-destination", folder]);
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf("["))) as [{ filename: string }];
  await writeFile(join(folder, "package.json"), '{"private": true, "type": "module"}');
  await npm(folder, ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, filename)]);
  for (const tool of tools) link(tool, folder);
  return { folder, leadhand: join(folder, "node_modules", "leadhand", "bin", "leadhand.js") };
}

function npm(cwd: string, args: readonly string[]): Promise<{ stdout: string }> {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return execute("npm", [...args], { cwd, env, shell: process.platform === "win32" });
}

/** As if it had been installed too. */
function link(tool: string, folder: string): void {
  const [from, to] = [join(root, "node_modules", tool), join(folder, "node_modules", tool)];
  mkdirSync(dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  symlinkSync(from, to);
  const { bin = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as { bin?: Record<string, string> };
  mkdirSync(join(folder, "node_modules", ".bin"), { recursive: true });
  for (const [name, file] of Object.entries(bin))
    symlinkSync(join(from, file), join(folder, "node_modules", ".bin", name));
}
