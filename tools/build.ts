// Makes dist/: JavaScript and types from src/, the SQL that goes with them, and the dashboard.

import { spawnSync } from "node:child_process";
import { cpSync, globSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildUi } from "./ui.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

process.exitCode = await build();

async function build(): Promise<number> {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const compiled = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (compiled.status !== 0) return compiled.status ?? 1;

  const migrations = globSync("src/stores/*/migrations/*.sql", { cwd: root });
  for (const file of migrations) {
    cpSync(join(root, file), join(root, "dist", relative("src", file)), { recursive: true });
  }
  await buildUi();
  console.log(`Built dist/ with ${migrations.length} migrations and the dashboard`);
  return 0;
}
